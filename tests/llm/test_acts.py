"""Labels, rubrics and constraints from the planted truth, over real HTTP."""

import pytest

from rubricstudio.core.checkers.registry import normalised
from rubricstudio.core.types import Constraint, Message, Role
from rubricstudio.llm.client import (
    Backend,
    BulkJudge,
    ConstraintExtractor,
    GlobalScorer,
    Judge,
    Labeller,
    RubricWriter,
)
from rubricstudio.llm.questions import CONSTRAINT_HELP, LABELS
from rubricstudio.llm.render import shipped_templates
from rubricstudio.llm.schemas import ASKED_TYPES, constraints
from rubricstudio.llm.scripted import ScriptedModel
from rubricstudio.testing.stub.conforming import Conforming
from rubricstudio.testing.stub.truth import planted_criteria, planted_label
from tests.llm.asking import PROMPT, Served, model_at, run

TEXT = PROMPT[0].content
ROWS = constraints()["properties"]["constraints"]["anyOf"][0]["items"]["anyOf"]


def act(stub, ask):
    async def work():
        async with model_at(Served.by(stub), most_criteria=4) as model:
            return await ask(model)

    return run(work())


def test_a_label_is_read(stub):
    asked = act(stub, lambda model: model.label(PROMPT))

    assert asked.value.label == planted_label(TEXT, list(LABELS))


def test_a_rubric_is_read_and_no_longer_than_asked(stub):
    asked = act(stub, lambda model: model.write_rubric(PROMPT, label="creative_writing"))

    planted = planted_criteria(TEXT, 4)
    assert [one.text for one in asked.value.criteria] == [row["criterion"] for row in planted]


def test_the_plug_in_of_the_label_is_in_the_request(stub):
    asked = act(stub, lambda model: model.write_rubric(PROMPT, label="creative_writing"))

    plugin = shipped_templates()["rubric_creative_writing"].text.strip()
    assert asked.calls[0].slots["task_specific_module"] == plugin


def test_an_unknown_label_gets_the_general_plug_in(stub):
    asked = act(stub, lambda model: model.write_rubric(PROMPT, label="juggling"))

    general = shipped_templates()["rubric_general"].text.strip()
    assert asked.calls[0].slots["task_specific_module"] == general


def test_constraints_come_from_the_last_user_turn(stub):
    talk = [*PROMPT, Message(Role.ASSISTANT, "Done."), Message(Role.USER, "At most 50 words!")]

    asked = act(stub, lambda model: model.extract_constraints(talk))

    found = [(one.type, one.params, one.evidence) for one in asked.value.constraints]
    assert found == [("word_count", {"op": "le", "value": 50}, "At most 50 words")]


@pytest.mark.parametrize("row", ROWS)
def test_every_form_of_row_makes_a_constraint_that_a_checker_answers(row):
    params = Conforming({}).value(row["properties"]["params"])

    for kind in row["properties"]["type"]["enum"]:
        assert normalised(Constraint(kind, params)).type == kind


def test_the_forms_of_row_name_every_type_that_is_asked_for():
    assert {kind for row in ROWS for kind in row["properties"]["type"]["enum"]} == set(ASKED_TYPES)


@pytest.mark.parametrize("kind", ASKED_TYPES)
def test_every_type_that_is_asked_for_is_explained_to_the_model(kind):
    assert kind in CONSTRAINT_HELP


def test_every_label_has_its_plug_in():
    assert {f"rubric_{label}" for label in LABELS} <= set(shipped_templates())


def test_both_implementations_satisfy_the_protocols():
    # mypy holds the assignments; at run time it is enough that they have the methods.
    scripted = ScriptedModel()
    model = model_at(Served("http://127.0.0.1/v1", Backend.VLLM, "judge"))
    everything: list[
        tuple[Labeller, RubricWriter, ConstraintExtractor, Judge, GlobalScorer, BulkJudge]
    ] = [
        (scripted, scripted, scripted, scripted, scripted, scripted),
        (model, model, model, model, model, model),
    ]

    assert len(everything) == 2
