"""Editing the constraints of a spec: every edit is the next version."""

from __future__ import annotations

from typing import Any

import pytest

from apps.accounts.models import Project, Role, User
from apps.activity.errors import BadInput, Conflict
from apps.specs import services
from apps.specs.models import Constraint as Row
from apps.specs.models import Spec
from rubricstudio.core.types import Constraint, Criterion
from tests.factories import make_member, make_project, make_prompt, newest

pytestmark = pytest.mark.django_db
PROMPT = "Write three paragraphs of at most 200 words. Do not say tea."


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def author(project: Project) -> User:
    return make_member(project, Role.AUTHOR)


def count(type: str, value: int, evidence: str = "") -> Constraint:
    return Constraint(type, {"op": "eq", "value": value}, evidence=evidence)


@pytest.fixture
def spec(project: Project) -> Spec:
    """One criterion, three paragraphs, at most 200 words, and a poem that nobody checks."""
    constraints = [
        services.DraftConstraint.of(one, origin=Row.Origin.GIVEN)
        for one in (count("paragraph_count", 3), count("word_count", 200), Constraint("poem"))
    ]
    draft = services.Draft(
        criteria=(Criterion("c1", "Names the Moon."),),
        constraints=tuple(constraints),
        method="given",
        label="writing",
    )
    return services.save_draft(newest(make_prompt(project, PROMPT)), draft=draft)


def types(spec: Spec) -> list[str]:
    return [one.type for one in spec.constraints.all()]


def value(spec: Spec, number: int) -> Any:
    return spec.constraints.get(position=number - 1).params["value"]


def test_a_constraint_is_added_at_the_end_of_the_next_version(spec: Spec, author: User) -> None:
    added = Constraint("not_contain", {"phrases": ["tea"]}, evidence="Do not say tea")

    saved = services.add_constraint(spec, constraint=added, author=author, reason="It says so.")

    assert (saved.version, saved.state, saved.reason) == (2, "draft", "It says so.")
    assert types(saved) == ["paragraph_count", "word_count", "poem", "not_contain"]
    row = saved.constraints.get(position=3)
    assert (row.origin, row.evidence, row.options["case"]) == ("person", "Do not say tea", "ignore")
    assert row.checker.origin == "native"
    assert [one.text for one in saved.criteria.all()] == ["Names the Moon."]
    assert (saved.label, saved.parent) == ("writing", spec)


def test_a_changed_constraint_keeps_its_place_and_the_others_their_origin(
    spec: Spec, author: User
) -> None:
    saved = services.change_constraint(
        spec, number=1, constraint=count("paragraph_count", 4), author=author
    )

    assert types(saved) == ["paragraph_count", "word_count", "poem"]
    assert value(saved, 1) == 4
    assert [one.origin for one in saved.constraints.all()] == ["person", "given", "given"]
    assert saved.constraints.get(position=2).refused
    assert value(spec, 1) == 3


def test_another_quote_alone_keeps_the_origin(spec: Spec, author: User) -> None:
    quoted = count("paragraph_count", 3, evidence="three paragraphs")

    saved = services.change_constraint(spec, number=1, constraint=quoted, author=author)

    row = saved.constraints.get(position=0)
    assert (saved.version, row.evidence, row.origin) == (2, "three paragraphs", "given")


def test_an_edit_that_changes_nothing_saves_nothing(spec: Spec, author: User) -> None:
    same = services.change_constraint(
        spec, number=2, constraint=count("word_count", 200), author=author
    )

    assert same == spec
    assert spec.prompt_revision.specs.count() == 1


def test_a_removed_constraint_is_gone_from_the_next_version_and_can_come_back(
    spec: Spec, author: User
) -> None:
    without = services.remove_constraint(spec, number=2, author=author)
    assert types(without) == ["paragraph_count", "poem"]

    back = services.restore_constraints(spec, author=author)

    assert (back.version, types(back)) == (3, types(spec))
    assert services.restore_constraints(spec, author=author) == back


def test_every_edit_stands_in_the_trail(spec: Spec, author: User, project: Project) -> None:
    services.remove_constraint(spec, number=2, author=author, reason="Nobody asked for it.")

    event = project.events.get(verb="spec.saved")
    assert (event.actor, event.reason) == (author, "Nobody asked for it.")
    assert event.detail["version"] == 2


def test_an_edit_of_an_older_version_goes_on_top_where_its_constraint_is_the_same(
    spec: Spec, author: User
) -> None:
    services.remove_constraint(spec, number=1, author=author)

    saved = services.change_constraint(
        spec, number=2, constraint=count("word_count", 150), author=author
    )

    assert (saved.version, types(saved)) == (3, ["word_count", "poem"])
    assert value(saved, 1) == 150


def test_two_edits_of_one_constraint_are_a_conflict_that_shows_the_other(
    spec: Spec, author: User
) -> None:
    services.change_constraint(spec, number=2, constraint=count("word_count", 150), author=author)

    with pytest.raises(Conflict, match="changed this constraint meanwhile") as caught:
        services.change_constraint(
            spec, number=2, constraint=count("word_count", 100), author=author
        )

    assert caught.value.extra == {"theirs": 2, "version": 2}


def test_an_edit_of_what_somebody_removed_is_a_conflict(spec: Spec, author: User) -> None:
    services.remove_constraint(spec, number=3, author=author)

    with pytest.raises(Conflict) as caught:
        services.change_constraint(spec, number=3, constraint=count("line_count", 9), author=author)

    assert caught.value.extra["theirs"] is None


@pytest.mark.parametrize(
    ("constraint", "sentence"),
    [
        (count("word_count", 200), "Constraint 2 asks for the same already"),
        (Constraint("poem_count"), "not a checked constraint type"),
        (Constraint("contain", {"phrases": []}), "at least one text"),
    ],
)
def test_what_cannot_be_added_is_refused_with_a_sentence(
    spec: Spec, author: User, constraint: Constraint, sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence):
        services.add_constraint(spec, constraint=constraint, author=author)

    assert spec.prompt_revision.specs.count() == 1


def test_a_number_that_the_version_lacks_is_refused(spec: Spec, author: User) -> None:
    with pytest.raises(BadInput, match="Version 1 has no constraint 9"):
        services.remove_constraint(spec, number=9, author=author)


def test_a_response_is_tried_and_nothing_is_stored() -> None:
    constraints = [count("word_count", 2), Constraint("contain", {"phrases": ["sea"]})]

    words, contains = services.try_response(constraints, "The sea")

    assert (words.result, words.reason) == ("passed", "2 words, exactly 2 asked")
    assert contains.spans == ((4, 7),)


def test_a_response_that_is_too_long_is_refused() -> None:
    with pytest.raises(BadInput, match="2000001 characters"):
        services.try_response([], "x" * (services.LONGEST_RESPONSE + 1))
