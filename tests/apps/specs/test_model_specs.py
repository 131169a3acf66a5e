"""Specs by a scripted model: what is asked for, what is combined, what a failure leaves."""

from dataclasses import replace

import pytest

from apps.activity import services as activity
from apps.activity.errors import BadInput, Blocked
from apps.activity.models import Job
from apps.specs import selectors, services
from apps.specs.models import Constraint, Criterion, Spec, SpecFailure
from apps.specs.services import carrying
from rubricstudio.core.parsing import DroppedConstraint, ExtractedConstraints
from rubricstudio.core.types import Constraint as ConstraintValue
from rubricstudio.core.types import FailureCause, UnscoredReason
from rubricstudio.llm.client import Asked
from tests.apps.specs.conftest import CHILD, TIDES, make
from tests.factories import make_prompt, newest

pytestmark = pytest.mark.django_db

WORDS = ConstraintValue("word_count", {"op": "le", "value": 80}, evidence="at most 80 words")
GIVEN = {
    "kind": "ifeval",
    "instruction_id_list": ["punctuation:no_comma"],
    "kwargs": [{}],
}
RUBRICS = {"kind": "healthbench", "rubrics": [{"criterion": "Names the Moon.", "points": 7}]}


def says(monkeypatch, script, method, *answers):
    """Let one of the model's methods give these answers, the last one for ever."""
    left = list(answers)

    async def answer(*_prompt, **_values):
        return left.pop(0) if len(left) > 1 else left[0]

    monkeypatch.setattr(script, method, answer)


def test_a_prompt_gets_a_rubric_and_checkers_by_the_model(project, script):
    make_prompt(project)
    script.constraints = ExtractedConstraints((WORDS,))

    made = selectors.made_by(make(project))

    assert made.as_dict() == {
        "specs": 1,
        "criteria": 2,
        "constraints": 1,
        "checkers": 1,
        "failed": 0,
    }


def test_the_rubric_is_the_one_that_the_model_wrote(project, script):
    make_prompt(project)

    make(project)

    spec = Spec.objects.get()
    assert (spec.label, spec.method) == ("qa_explanation", "model")
    assert spec.as_value().criteria == (TIDES, CHILD)


def test_what_was_published_is_taken_and_the_rest_asked_for(project, script):
    make_prompt(project, given=GIVEN)

    make(project)

    spec = Spec.objects.get()
    assert (spec.method, spec.criteria.count()) == ("given+model", 2)
    assert list(spec.constraints.values_list("type", "origin")) == [
        ("punctuation:no_comma", "given")
    ]


def test_published_rubric_rows_take_the_place_of_the_models(project, script):
    make_prompt(project, given=RUBRICS)
    script.constraints = ExtractedConstraints((WORDS,))

    make(project)

    assert list(Criterion.objects.values_list("text", "weight")) == [("Names the Moon.", 7.0)]
    assert Constraint.objects.get().origin == "model"


def test_the_method_model_leaves_aside_what_was_published(project, script):
    make_prompt(project, given=RUBRICS)

    make(project, method="model")

    assert list(Criterion.objects.values_list("key", flat=True)) == ["c1", "c2"]


def test_constraints_that_the_prompt_does_not_bear_out_are_told(project, script):
    make_prompt(project)
    dropped = DroppedConstraint({"type": "contain"}, "the quotation 'x' is not in the prompt")
    script.constraints = ExtractedConstraints((), (dropped,))

    make(project)

    assert Constraint.objects.count() == 0
    assert Spec.objects.get().state == "draft"


@pytest.mark.parametrize(
    ("method", "part"),
    [
        ("label", "task label"),
        ("write_rubric", "rubric"),
        ("extract_constraints", "constraints"),
    ],
)
def test_without_one_part_there_is_no_spec_and_a_reason(project, script, monkeypatch, method, part):
    make_prompt(project, given={})
    says(
        monkeypatch,
        script,
        method,
        Asked(unscored=UnscoredReason.TRUNCATED, detail="the answer was cut"),
    )

    made = selectors.made_by(make(project))

    assert (made.specs, made.failed, Spec.objects.count()) == (0, 1, 0)
    failure = SpecFailure.objects.get()
    told = f"The model gave no {part} (truncated): the answer was cut."
    assert (failure.cause, failure.reason) == ("truncated", told)


def test_a_failed_prompt_is_tried_again_by_the_next_run(project, script, monkeypatch):
    make_prompt(project)
    with monkeypatch.context() as bad:
        says(bad, script, "write_rubric", Asked(failure=FailureCause.TIMEOUT, detail="slow"))
        make(project)

    assert selectors.made_by(make(project)).specs == 1


def test_a_server_that_answers_nobody_stops_the_job_with_a_sentence(project, script, monkeypatch):
    for number in range(20):
        make_prompt(project, f"prompt {number}")
    says(monkeypatch, script, "label", Asked(failure=FailureCause.AUTH, detail="answered 401"))

    job = make(project)

    assert job.state == Job.State.PAUSED
    assert "answered 401. Check LLM_API_KEY" in job.error
    assert not SpecFailure.objects.exists()


def test_so_many_failures_in_a_row_stop_the_job_too(project, script, monkeypatch):
    for number in range(20):
        make_prompt(project, f"prompt {number}")
    says(monkeypatch, script, "label", Asked(failure=FailureCause.TRANSPORT, detail="it is down"))

    job = make(project)

    assert job.state == Job.State.PAUSED
    assert carrying.PATIENCE <= SpecFailure.objects.count() < 20


def test_a_job_goes_on_where_a_turn_ended(project, script):
    for number in range(6):
        make_prompt(project, f"prompt {number}")
    job = services.start_making(project=project)

    goes_on = services.carry_making(job=job, worker="one", seconds=0)
    job.refresh_from_db()
    waits = job.state
    services.carry_making(job=job, worker="two")

    job.refresh_from_db()
    assert (goes_on, waits, job.state) == (True, "queued", "done")
    assert Spec.objects.count() == 6


def test_a_worker_that_is_to_end_gives_the_job_back(project, script):
    for number in range(6):
        make_prompt(project, f"prompt {number}")
    job = services.start_making(project=project)
    told = iter([False, True])

    services.carry_making(job=job, worker="one", ending=lambda: next(told, True))

    job.refresh_from_db()
    assert (job.state, Spec.objects.count()) == (Job.State.QUEUED, 1)


def test_two_workers_cannot_carry_one_job(project, script):
    make_prompt(project)
    job = services.start_making(project=project)
    activity.start_job(job=Job.objects.get(pk=job.pk), worker="one")

    services.carry_making(job=job, worker="two")

    assert not Spec.objects.exists()


def test_a_job_that_is_paused_begins_no_further_prompt(project, script, monkeypatch):
    for number in range(30):
        make_prompt(project, f"prompt {number}")
    job = services.start_making(project=project)
    monkeypatch.setattr(carrying, "BEAT_SECONDS", 0.0)

    def pause():
        activity.pause_job(job=Job.objects.get(pk=job.pk))

    services.carry_making(job=job, worker="one", on_beat=pause)

    job.refresh_from_db()
    assert job.state == Job.State.PAUSED
    assert Spec.objects.count() < 30


def test_a_remade_spec_keeps_the_keys_of_what_stayed(project, script):
    make_prompt(project)
    make(project)
    script.rubric = (replace(CHILD, key="c1"), replace(TIDES, key="c2", text="Names the Sun."))

    make(project, remake=True)

    second = Spec.objects.get(version=2)
    # CHILD was c2 before; a new text may not take a key that stood for another.
    keys = list(second.criteria.values_list("key", "text"))
    assert keys == [("c2", CHILD.text), ("c2-2", "Names the Sun.")]


def test_an_edit_in_the_meantime_is_not_overwritten(project, script, monkeypatch):
    prompt = make_prompt(project, given=GIVEN)
    make(project, use_model=False)
    first = Spec.objects.get()

    revision = newest(prompt)
    job = services.start_making(project=project, remake=True)
    loaded = selectors.newest_by_revision([revision.pk])
    monkeypatch.setattr(selectors, "newest_by_revision", lambda _pks: loaded)
    draft = services.Draft(criteria=(TIDES,), method="given")
    services.save_draft(revision, draft=draft, parent=first)

    services.carry_making(job=job, worker="one")

    assert SpecFailure.objects.get(job=job).cause == "overtaken"
    assert Spec.objects.get(version=2).criteria.get().text == TIDES.text


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({"method": "magic"}, "no method 'magic': use one of auto, rules, given, model"),
        ({"method": "model", "use_model": False}, "needs a model"),
        ({"limit": 0}, "limit is 0: use 1 or more"),
    ],
)
def test_a_wish_that_cannot_be_met_is_refused(project, script, wish, sentence):
    make_prompt(project)

    with pytest.raises(BadInput, match=sentence):
        services.start_making(project=project, **wish)


def test_a_project_without_prompts_says_what_comes_first(project, script):
    with pytest.raises(BadInput, match="import_prompts"):
        services.start_making(project=project)


def test_without_a_model_no_job_is_made(project):
    make_prompt(project)

    with pytest.raises(Blocked, match="LLM_BASE_URL"):
        services.start_making(project=project)

    assert not Job.objects.exists()
