from dataclasses import replace

import pytest
from django.db import IntegrityError
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from apps.accounts.models import Role
from apps.activity.errors import Conflict
from apps.specs import selectors, services
from apps.specs.models import Criterion, Spec
from apps.specs.services import Draft, DraftConstraint
from rubricstudio.core import types as core
from rubricstudio.core.errors import SpecError
from tests.factories import make_member, make_project, make_prompt, newest

pytestmark = pytest.mark.django_db

TIDES = core.Criterion(key="c1", text="Names the Moon.", weight=5, anchors={"yes": "by name"})
WORDS = core.Constraint("word_count", {"op": "le", "value": 80}, evidence="at most 80 words")
UNKNOWN = core.Constraint("detectable_format:title")

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
CRITERIA = st.builds(
    core.Criterion,
    key=st.just("c1"),
    text=TEXT.filter(str.strip),
    weight=st.floats(0.001, 1e6) | st.integers(1, 5),
    polarity=st.sampled_from(core.Polarity),
    scale=st.sampled_from([core.Scale.TERNARY, core.Scale.BINARY, core.Scale.POINTS]),
    bucket=st.sampled_from(["", "accuracy"]),
    essential=st.none() | st.booleans(),
    scope=st.sampled_from([core.Scope(), core.Scope.parse("turn:2")]),
    anchors=st.dictionaries(TEXT, TEXT, max_size=2),
    rationale=st.just("") | TEXT,
    tags=st.lists(TEXT, max_size=2).map(tuple),
)


def draft(*criteria, constraints=(WORDS,), **values):
    parts = tuple(DraftConstraint.of(one, origin="given") for one in constraints)
    values = {"label": "qa_explanation", "method": "given", **values}
    return Draft(criteria=criteria or (TIDES,), constraints=parts, **values)


@pytest.fixture
def revision():
    return newest(make_prompt(make_project()))


def test_the_hash_of_a_spec_is_that_of_its_stored_line(revision):
    spec = services.save_draft(revision, draft=draft())

    assert spec.as_value().line().decode() == spec.line
    assert spec.as_value().spec_id() == spec.spec_id


@hypothesis_settings(max_examples=40, deadline=None)
@given(criterion=CRITERIA)
def test_a_criterion_comes_back_from_its_row_as_it_was(criterion):
    revision = newest(make_prompt(make_project()))

    spec = services.save_draft(revision, draft=draft(criterion))

    stored = Criterion.objects.get(spec=spec)
    assert stored.as_value() == criterion
    assert stored.content_sha256 == criterion.content_hash()


def test_levels_and_sources_come_back_too(revision):
    scored = core.Criterion(
        key="fluency", text="Reads well.", scale=core.Scale.LEVELS, levels=10, lo=0.0, hi=10.0
    )
    column = core.Criterion(
        key="judged", text="From a file.", source=core.Source.COLUMN, source_name="human_score"
    )

    spec = services.save_draft(revision, draft=draft(scored, column))

    assert spec.as_value().criteria == (scored, column)


def test_versions_follow_each_other(revision):
    first = services.save_draft(revision, draft=draft())

    second = services.save_draft(revision, draft=draft(), parent=first)

    assert (second.version, second.parent) == (2, first)


def test_who_did_not_see_the_newest_version_saves_nothing(revision):
    first = services.save_draft(revision, draft=draft())
    services.save_draft(revision, draft=draft(), parent=first)

    with pytest.raises(Conflict, match="Somebody saved version 2"):
        services.save_draft(revision, draft=draft(), parent=first)


def test_a_spec_that_cannot_be_saved_leaves_nothing_behind(revision):
    broken = draft(core.Criterion(key="c1", text="half a \0 text"))

    with pytest.raises(SpecError, match="NUL"):
        services.save_draft(revision, draft=broken)

    assert not Spec.objects.exists()


def test_a_key_that_no_column_holds_is_refused_with_a_sentence(revision):
    endless = draft(core.Criterion(key="c" * 81, text="Names the Moon."))

    with pytest.raises(SpecError, match="is longer than 80"):
        services.save_draft(revision, draft=endless)


def test_a_saved_spec_never_changes(revision):
    spec = services.save_draft(revision, draft=draft())

    with pytest.raises(IntegrityError, match="never change"):
        Spec.objects.filter(pk=spec.pk).update(line="{}")


def test_an_edit_is_the_next_draft_and_names_its_author(revision):
    spec = services.save_draft(revision, draft=draft())
    author = make_member(revision.prompt.project, Role.AUTHOR)
    changed = replace(spec.as_value(), criteria=())

    edited = services.save_version(spec, value=changed, author=author, reason="too vague")

    assert (edited.version, edited.state, edited.author) == (2, "draft", author)
    assert edited.criteria.count() == 0


def test_an_edit_keeps_origins_and_what_no_checker_answers(revision):
    spec = services.save_draft(revision, draft=draft(constraints=(WORDS, UNKNOWN)))
    author = make_member(revision.prompt.project, Role.AUTHOR)

    edited = services.save_version(spec, value=spec.as_value(), author=author)

    assert list(edited.constraints.values_list("type", "origin")) == [
        ("word_count", "given"),
        ("detectable_format:title", "given"),
    ]
    assert [one.type for one in edited.constraints.exclude(refused="")] == [UNKNOWN.type]


def test_an_edited_criterion_makes_the_verdicts_on_its_old_text_stale(revision):
    other = core.Criterion(key="c2", text="Fits a child.")
    spec = services.save_draft(revision, draft=draft(TIDES, other))
    author = make_member(revision.prompt.project, Role.AUTHOR)
    value = spec.as_value()
    longer = replace(value.criteria[0], text="Names the Moon and the Sun.")

    services.save_version(spec, value=replace(value, criteria=(longer, other)), author=author)

    stale = selectors.stale_criteria(revision.prompt.project)
    assert [(one.spec.version, one.key) for one in stale] == [(1, "c1")]


def test_another_weight_makes_no_verdict_stale(revision):
    spec = services.save_draft(revision, draft=draft())
    author = make_member(revision.prompt.project, Role.AUTHOR)
    lighter = replace(TIDES, weight=1)

    services.save_version(spec, value=replace(spec.as_value(), criteria=(lighter,)), author=author)

    assert not selectors.stale_criteria(revision.prompt.project).exists()
