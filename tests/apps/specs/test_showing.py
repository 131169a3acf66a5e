"""Specs in words and shares, as pages show them."""

import pytest

from apps.specs.showing import (
    constraint_words,
    differences,
    facts_of,
    marked_prompt,
    rubric_of,
    shown_constraints,
)
from apps.specs.showing.evidence import Mark, Stretch, stretches
from apps.specs.showing.provenance import shown_provenance
from apps.specs.showing.rubric import find_criterion
from tests.factories import (
    make_bare_spec,
    make_constraint,
    make_criterion,
    make_project,
    make_prompt,
    make_spec,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def prompt():
    return make_prompt(make_project())


def make(prompt, *criteria, constraints=(), **values):
    """A version whose criteria are (key, text, weight, bucket)."""
    spec = make_bare_spec(prompt, **values)
    for position, constraint in enumerate(constraints):
        make_constraint(spec, position=position, **constraint)
    for position, (key, text, weight, bucket) in enumerate(criteria):
        make_criterion(spec, text, position=position, key=key, weight=weight, bucket=bucket)
    return spec


def test_criteria_stand_in_their_buckets_with_shares_of_the_rubric(prompt):
    spec = make(
        prompt,
        ("c1", "a", 3, "accuracy"),
        ("c2", "b", 1, ""),
        ("c3", "c", 2, "accuracy"),
    )

    first, second = rubric_of(list(spec.criteria.all()))

    assert (first.title, first.weight) == ("Accuracy", 5)
    assert first.share == pytest.approx(5 / 6)
    assert [(one.key, one.share, one.bar) for one in first.criteria] == [
        ("c1", 0.5, 1.0),
        ("c3", pytest.approx(1 / 3), pytest.approx(2 / 3)),
    ]
    assert second.title == "Criteria"


def test_a_criterion_is_found_by_its_key_and_the_first_is_shown_without_one(prompt):
    buckets = rubric_of(list(make(prompt, ("c1", "a", 1, ""), ("c2", "b", 1, "")).criteria.all()))
    first, second = buckets[0].criteria

    assert find_criterion(buckets, "") == first
    assert find_criterion(buckets, "c2") == second
    assert find_criterion(buckets, "c9") is None
    assert find_criterion([], "") is None


def test_the_facts_of_a_criterion_are_words(prompt):
    spec = make_spec(prompt)
    row = make_criterion(
        spec,
        "Names it.",
        position=1,
        key="n",
        bucket="accuracy",
        essential=True,
        polarity="negative",
        scale="levels",
        levels=5,
        scope="turn:2",
        source="column",
        extra={"source_name": "score", "tags": ["a", "b"]},
    )

    assert facts_of(row) == [
        ("Bucket", "accuracy"),
        ("Importance", "Essential"),
        ("Polarity", "Negative"),
        ("Scale", "levels 1 to 5, scores 0 to 1"),
        ("About", "assistant turn 2"),
        ("Number from", "the column score"),
        ("Tags", "a, b"),
    ]


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"op": "le", "value": 220}, "at most 220"),
        ({"op": "eq", "value": 3, "divider": "***"}, "exactly 3; divider ***"),
        ({"n": 2, "text": "president", "match": "word"}, "paragraph 2; “president”"),
        ({"phrases": ["a", "b\n"], "require": "all", "min_count": 4}, "“a”, “b⏎”; min count 4"),
        ({}, ""),
    ],
)
def test_a_constraint_is_told_in_words(params, words):
    assert constraint_words(params) == words


def test_a_published_instruction_is_told_by_what_it_means(prompt):
    spec = make_spec(prompt)
    name = "length_constraints:number_words"
    asked = [({"num_words": 50, "relation": "at least"}, True), ({}, False)]
    rows = [
        make_constraint(
            spec,
            position=at,
            type=name,
            params=params,
            options={"loose": loose},
            dialect="ifeval/1",
        )
        for at, (params, loose) in enumerate(asked)
    ]
    unknown = make_constraint(spec, position=2, type="a:b_c", params={"n": 2}, dialect="ifeval/1")

    shown = shown_constraints([*rows, unknown])

    assert [(one.type_words, one.words, one.options) for one in shown] == [
        (
            "number words",
            "has a number of words (num words 50; relation at least)",
            "read loosely",
        ),
        ("number words", "has a number of words", ""),
        ("b c", "paragraph 2", ""),
    ]


def test_the_words_that_ask_for_a_constraint_are_marked_with_its_number(prompt):
    spec = make_spec(prompt)
    for position, evidence in enumerate(["three  paragraphs", "given as a:b", "of water", ""]):
        make_constraint(spec, position=position, type="t", evidence=evidence)
    messages = [
        {"role": "user", "content": "three paragraphs, an older turn"},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": "Write three paragraphs of water."},
    ]

    marked = marked_prompt(messages, shown_constraints(spec.constraints.all()))

    assert [(one.text, one.marked, one.numbers) for one in marked.stretches] == [
        ("Write ", False, ()),
        ("three paragraphs", True, (1,)),
        (" ", False, ()),
        ("of water", True, (3,)),
        (".", False, ()),
    ]


def test_marks_may_overlap():
    assert stretches("abcdef", [Mark(1, 4, 1), Mark(2, 6, 2)]) == [
        Stretch("a"),
        Stretch("b", True),
        Stretch("cd", True, (1,)),
        Stretch("ef", True, (2,)),
    ]


def test_a_very_long_prompt_is_cut(prompt):
    marked = marked_prompt([{"role": "user", "content": "x" * 10_000}], [])

    assert (len(marked.stretches[0].text), marked.hidden) == (8000, 2000)


def test_versions_differ_criterion_by_criterion(prompt):
    before = make(
        prompt,
        ("same", "Stays.", 1, ""),
        ("text", "Names the moon.", 1, ""),
        ("weight", "Heavy.", 1, ""),
        ("gone", "Removed.", 1, ""),
        constraints=[{"type": "word_count", "params": {"op": "le", "value": 9}}],
    )
    after = make(
        prompt,
        ("same", "Stays.", 1, ""),
        ("text", "Names the sun.", 1, ""),
        ("weight", "Heavy.", 3, ""),
        ("new", "Added.", 1, ""),
        constraints=[{"type": "word_count", "params": {"op": "le", "value": 5}}],
        label="coding",
    )

    found = differences(before, after)

    assert [(one.key, one.kind, one.stale) for one in found.criteria] == [
        ("text", "changed", True),
        ("weight", "changed", False),
        ("gone", "removed", False),
        ("new", "added", False),
    ]
    assert found.criteria[1].facts == [
        ("Weight", "1, 25.0 % of the rubric", "3, 50.0 % of the rubric")
    ]
    assert found.same == 1
    assert [one.words for one in found.removed] == ["at most 9"]
    assert [one.words for one in found.added] == ["at most 5"]
    assert found.label == ("", "coding")


def test_a_version_does_not_differ_from_itself(prompt):
    spec = make(prompt, ("c1", "a", 1, ""))

    assert not differences(spec, spec).any


def test_provenance_names_models_templates_and_what_was_read():
    provenance = {
        "from": {"criteria": "model", "constraints": "given"},
        "asked": {
            "label": {
                "read": {"label": "general", "said": "coding", "confidence": 0.4},
                "calls": [7],
                "templates": {"label": "ab" * 32},
                "configuration": {"model": "small", "embedded": True},
                "flags": ["low_confidence"],
            }
        },
        "versions": {"registry": "studio/1"},
    }

    shown = shown_provenance(provenance, calls=[], templates={})

    assert shown.embedded
    assert shown.sources == [
        ("Rubric", "written by a model"),
        ("Constraints", "published with the prompt"),
    ]
    role = shown.roles[0]
    assert (role.name, role.model, role.flags) == ("Task label", "small", ["low confidence"])
    assert role.read == "general, confidence 0.40 (it said coding)"
    assert role.templates[0].version is None
    assert shown_provenance({}, calls=[], templates={}).roles == []
