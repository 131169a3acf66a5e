"""Requirements that no constraint type expresses become code: asked for, validated, fed back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from apps.specs.models import Checker, Constraint
from apps.specs.services import save_draft, try_response
from apps.specs.services.coding import MOST_TRIES, Coded, write_checker
from apps.specs.services.composing import Method, compose
from apps.specs.services.drafts import Origin
from apps.specs.services.given import GivenParts
from apps.specs.services.writers import Answers, Wanted, Writers, roles_of
from rubricstudio.core import types as core
from rubricstudio.core.checkers.generated import Example, code_of, code_sha256, wanted_constraint
from rubricstudio.core.parsing import CodeDraft, ExtractedConstraints
from rubricstudio.core.types import FailureCause, Message, Role, UnscoredReason
from rubricstudio.llm.client import Asked
from rubricstudio.llm.scripted import ScriptedModel
from rubricstudio.sandbox.jail import Jail
from tests.factories import make_project, make_prompt, newest

PROMPT = [Message(Role.USER, "Ask exactly two questions.")]
WANTED = wanted_constraint("the response has exactly two question marks", evidence="two questions")
EXAMPLES = (Example("Really? Why?", True), Example("No.", False))


def draft(expression: str, examples: Sequence[Example] = EXAMPLES) -> CodeDraft:
    code = f"def check_following(instruction, response):\n    return {expression}\n"
    return CodeDraft(code, tuple(examples))


RIGHT = draft("response.count('?') == 2")
WRONG = draft("response.count('?') > 2")
UNSAFE = draft("open('/etc/passwd').read() == ''")


def written(*codes: CodeDraft) -> tuple[Coded, ScriptedModel]:
    model = ScriptedModel(codes=codes)
    return asyncio.run(write_checker(model, PROMPT, WANTED)), model


def test_code_that_holds_at_once_is_taken_with_its_log():
    coded, model = written(RIGHT)

    assert coded.code == RIGHT.code
    assert coded.validation["passed"]
    assert model.attempts == [""]


def test_what_was_wrong_is_fed_back_with_the_code():
    coded, model = written(WRONG, UNSAFE, RIGHT)

    assert coded.code == RIGHT.code
    assert "it said no, and yes was expected" in model.attempts[1]
    assert str(WRONG.code) in model.attempts[1]
    assert "the name open is not allowed" in model.attempts[2]
    assert [one["code"] for one in coded.tries] == [WRONG.code, UNSAFE.code]


def test_after_three_regenerations_there_is_no_checker_and_the_reason_is_kept():
    coded, model = written(*[WRONG] * 9)

    assert len(model.attempts) == MOST_TRIES
    made = coded.as_draft(origin=Origin.MODEL)
    assert made.refused.startswith("no checker could be written for it: for the example")
    assert made.code == ""


def test_a_model_that_says_no_program_can_decide_is_believed():
    coded, model = written(CodeDraft(None))

    assert (coded.code, len(model.attempts)) == ("", 1)
    assert coded.reason == "the model says that no program can decide it"


def test_a_source_without_examples_of_both_kinds_is_sent_back():
    coded, model = written(draft("response.count('?') == 2", EXAMPLES[:1]), RIGHT)

    assert coded.code == RIGHT.code
    assert "there is no example that fails" in model.attempts[1]


def test_an_answer_that_cannot_be_read_is_one_try_and_no_flaw_of_the_spec():
    coded, _model = written()

    assert coded.code == ""
    assert coded.reason == "the script has no code"
    assert Answers(coded=(coded,)).flaw() is None


def test_a_call_that_failed_is_a_flaw_so_the_prompt_is_asked_again():
    failed: Asked[CodeDraft] = Asked(failure=FailureCause.TIMEOUT, detail="too late")

    flaw = Answers(coded=(Coded(WANTED, asked=[failed]),)).flaw()

    assert flaw is not None
    assert flaw[1] is failed


def test_where_there_is_no_jail_the_requirement_stays_without_a_checker(monkeypatch):
    monkeypatch.setattr("platform.system", lambda: "Darwin")

    coded, model = written(RIGHT, RIGHT)

    assert coded.code == ""
    assert "this is macOS" in coded.reason
    assert len(model.attempts) == 1


def answers_of(model: ScriptedModel, wanted: Wanted) -> Answers:
    writers = Writers(model, model, model, coder=model)
    return asyncio.run(writers.ask(PROMPT, wanted))


@pytest.mark.django_db
def test_what_the_model_extracts_and_no_type_expresses_is_saved_with_its_code():
    known = core.Constraint("word_count", {"op": "le", "value": 50})
    model = ScriptedModel(constraints=ExtractedConstraints((known, WANTED)), codes=(RIGHT,))
    wanted = Wanted(rubric=False, constraints=True)

    answers = answers_of(model, wanted)
    made = compose(GivenParts(), wanted, answers, asked={})
    spec = save_draft(newest(make_prompt(make_project())), draft=made)

    native, generated = Checker.objects.order_by("constraint__position")
    assert (native.origin, generated.origin) == ("native", "generated")
    assert generated.code == RIGHT.code
    assert generated.content_sha256 == code_sha256(str(RIGHT.code))
    assert generated.validation["passed"]
    assert [code_of(one) for one in spec.as_value().constraints] == [
        None,
        generated.content_sha256,
    ]


@pytest.mark.django_db
def test_a_requirement_without_code_is_kept_and_told_apart():
    model = ScriptedModel(constraints=ExtractedConstraints((WANTED,)), codes=(CodeDraft(None),))
    wanted = Wanted(rubric=False, constraints=True)

    made = compose(GivenParts(), wanted, answers_of(model, wanted), asked={})
    save_draft(newest(make_prompt(make_project())), draft=made)

    assert "no checker could be written for it" in Constraint.objects.get().refused
    assert not Checker.objects.exists()


def test_what_was_published_and_no_type_answers_waits_for_code():
    asked = core.Constraint("poems:rhyme", {"scheme": "abab"}, evidence="given as poems:rhyme")
    known = core.Constraint("contain", {"phrases": ["sea"]})
    given = GivenParts(constraints=(known, asked))
    method = Method.of("auto", use_model=True)

    wanted = method.wanted(given, code=True)
    model = ScriptedModel(codes=(RIGHT,))
    made = compose(given, wanted, answers_of(model, wanted), asked={})

    assert [one.params["requirement"] for one in wanted.code] == ["poems:rhyme: scheme = abab"]
    assert [bool(one.code) for one in made.constraints] == [False, True]
    assert made.constraints[1].value.params["asked"] == {
        "type": "poems:rhyme",
        "params": {"scheme": "abab"},
    }
    assert not method.wanted(given).code


@pytest.mark.django_db
def test_only_a_project_that_switched_them_on_needs_a_model_in_that_role():
    assert "code" not in roles_of(make_project())
    assert "code" in roles_of(make_project(settings={"generated_checkers": True}))


def test_a_code_writer_is_not_asked_where_nothing_waits(monkeypatch):
    monkeypatch.setattr(Jail, "check", lambda *_: pytest.fail("no jail is needed"))
    model = ScriptedModel(constraints=ExtractedConstraints(()))

    answers = answers_of(model, Wanted(rubric=False, constraints=True))

    assert answers.coded == ()
    assert model.attempts == []


def test_an_unscored_reason_counts_as_a_try():
    unread: Asked[CodeDraft] = Asked(unscored=UnscoredReason.UNPARSABLE, detail="no JSON")

    class Mumbling(ScriptedModel):
        async def write_code(self, prompt, **options):
            self.attempts.append(options["attempt"])
            return unread if len(self.attempts) == 1 else Asked(RIGHT)

    model = Mumbling()
    coded = asyncio.run(write_checker(model, PROMPT, WANTED))

    assert coded.code == RIGHT.code
    assert model.attempts == ["", "no JSON"]


@pytest.mark.django_db
@pytest.mark.parametrize(("switched_on", "results"), [(True, ["passed", "failed"]), (False, None)])
def test_a_pasted_response_is_tried_with_generated_checkers_too(switched_on, results):
    project = make_project(settings={"generated_checkers": switched_on})
    model = ScriptedModel(constraints=ExtractedConstraints((WANTED,)), codes=(RIGHT,))
    wanted = Wanted(rubric=False, constraints=True)
    made = compose(GivenParts(), wanted, answers_of(model, wanted), asked={})
    spec = save_draft(newest(make_prompt(project)), draft=made)
    values = [one.as_value() for one in spec.constraints.all()]

    tried = [try_response(values, text, spec=spec)[0] for text in ("Really? Why?", "No.")]

    if results:
        assert [one.result for one in tried] == results
    else:
        assert [one.reason for one in tried] == [
            "generated checkers are switched off in this project"
        ] * 2
