"""Constraints that rules read in a prompt: alone, beside the model's, and where they disagree."""

import pytest

from apps.accounts.models import Role
from apps.specs.models import Constraint, Spec, SpecFailure
from apps.specs.services.composing import Method
from apps.specs.services.given import GivenParts
from apps.specs.showing import disagreements_of, shown_constraints
from rubricstudio.core.parsing import ExtractedConstraints
from rubricstudio.core.types import Constraint as ConstraintValue
from tests.apps.specs.conftest import make
from tests.factories import make_bare_spec, make_constraint, make_member, make_prompt

pytestmark = pytest.mark.django_db

ASKED = 'Describe tea in at most 80 words. Do not use the word "leaf".'
GIVEN = {"kind": "ifeval", "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}
SAME = ConstraintValue("word_count", {"op": "le", "value": 80}, evidence="at most 80 words")
OTHER = ConstraintValue("word_count", {"op": "ge", "value": 80}, evidence="at most 80 words")
MORE = ConstraintValue("begin_with", {"text": "Tea"}, evidence="tea")


def origins(spec):
    return list(spec.constraints.values_list("type", "origin"))


def disagreements(spec):
    return disagreements_of(shown_constraints(spec.constraints.all()))


def test_without_a_model_rules_read_the_prompt(project):
    make_prompt(project, ASKED)

    make(project, use_model=False)

    spec = Spec.objects.get()
    assert spec.method == "rules"
    assert origins(spec) == [("word_count", "rules"), ("not_contain", "rules")]
    assert [one.evidence for one in spec.constraints.all()] == [
        "at most 80 words",
        'Do not use the word "leaf"',
    ]


def test_rules_leave_alone_what_was_published(project):
    make_prompt(project, ASKED, given=GIVEN)

    make(project, use_model=False)

    assert {origin for _type, origin in origins(Spec.objects.get())} == {"given"}


def test_the_method_given_takes_nothing_but_what_was_published(project):
    make_prompt(project, ASKED)

    make(project, method="given")

    assert not Spec.objects.exists()
    assert SpecFailure.objects.get().cause == "nothing_given"


def test_what_rules_and_model_both_find_is_kept_once(project, script):
    make_prompt(project, ASKED)
    script.constraints = ExtractedConstraints((SAME, MORE))

    make(project)

    spec = Spec.objects.get()
    assert spec.method == "model+rules"
    assert origins(spec) == [
        ("word_count", "rules"),
        ("not_contain", "rules"),
        ("begin_with", "model"),
    ]
    assert spec.provenance["from"]["constraints"] == "rules+model"
    assert disagreements(spec) == []


def test_where_rules_and_model_exclude_each_other_both_are_kept_and_told(project, script, client):
    make_prompt(project, ASKED)
    script.constraints = ExtractedConstraints(
        (ConstraintValue("word_count", {"op": "gt", "value": 80}, evidence="80 words"),)
    )

    make(project)

    spec = Spec.objects.get()
    assert (spec.state, len(origins(spec))) == ("draft", 3)
    client.force_login(make_member(project, Role.AUTHOR))
    page = client.get(f"/p/{project.slug}/specs/1/").content.decode()
    assert "Constraints 1 and 3:" in page
    assert "word count: at most 80 and more than 80 cannot both be" in page


def test_where_rules_and_model_read_the_same_words_differently_it_is_told(project, script):
    make_prompt(project, ASKED)
    script.constraints = ExtractedConstraints((OTHER,))

    make(project)

    assert disagreements(Spec.objects.get()) == [(1, 3)]


def test_two_readings_by_the_same_reader_are_no_disagreement(project):
    spec = make_bare_spec(make_prompt(project, ASKED))
    for position, op in enumerate(("le", "ge")):
        make_constraint(
            spec,
            position=position,
            type="word_count",
            params={"op": op, "value": 80},
            evidence="at most 80 words",
            origin=Constraint.Origin.MODEL,
        )

    assert disagreements(spec) == []


def test_what_has_no_checker_is_no_reading(project):
    spec = make_bare_spec(make_prompt(project, ASKED))
    for position, params in enumerate(({"op": "le", "value": 1}, {"op": "ge", "value": 2})):
        make_constraint(
            spec, position=position, type="word_count", params=params, refused="no checker"
        )

    assert disagreements(spec) == []


@pytest.mark.parametrize(
    ("name", "use_model", "reads"),
    [("auto", True, True), ("auto", False, True), ("rules", True, True), ("given", True, False)],
)
def test_which_methods_read_a_prompt_by_rules(name, use_model, reads):
    assert Method.of(name, use_model=use_model).reads(GivenParts()) is reads


def test_the_page_of_a_spec_warns_of_what_does_not_go_together(project, script, client):
    make_prompt(project, ASKED)
    script.constraints = ExtractedConstraints((OTHER,))
    make(project)
    client.force_login(make_member(project, Role.AUTHOR))

    page = client.get(f"/p/{project.slug}/specs/1/")

    assert "read the same words differently in constraints 1 and 3" in page.content.decode()
