"""`make_specs` as a user runs it: a real server behind it, one JSON object at the end."""

import io
import json
import signal
from typing import NamedTuple

import pytest
from django.core.management import call_command

from apps.accounts.models import Project
from apps.activity.models import Job
from apps.calls import services as calls
from apps.calls.models import Call, ModelEndpoint
from apps.specs import services, tasks
from apps.specs.models import Spec, SpecFailure
from rubricstudio.testing.stub.process import stub_server
from tests.apps.specs.conftest import make
from tests.factories import make_project, make_prompt

GIVEN = {
    "kind": "ifeval",
    "instruction_id_list": ["punctuation:no_comma", "detectable_format:rephrase"],
    "kwargs": [{}, {}],
}
PROMPT = "Tell a child why the sea has tides, in at most 80 words."


class Ended(NamedTuple):
    result: dict
    code: int
    messages: str


def run(project, *options):
    out, err = io.StringIO(), io.StringIO()
    code = 0
    try:
        call_command("make_specs", "--project", project.slug, *options, stdout=out, stderr=err)
    except SystemExit as end:
        code = int(end.code or 0)
    return Ended(json.loads(out.getvalue().splitlines()[-1]), code, err.getvalue())


def counts(specs=0, criteria=0, constraints=0, checkers=0, failed=0):
    return {
        "specs": specs,
        "criteria": criteria,
        "constraints": constraints,
        "checkers": checkers,
        "failed": failed,
    }


@pytest.fixture
def stub(tmp_path, monkeypatch, settings):
    settings.ENCRYPTION_KEY_FILE = tmp_path / "endpoint.key"
    with stub_server(tmp_path / "requests.jsonl") as running:
        monkeypatch.setenv("LLM_BASE_URL", running.base_url)
        monkeypatch.setenv("LLM_MODEL", "judge")
        monkeypatch.setenv("LLM_BACKEND", "vllm")
        yield running


@pytest.mark.django_db
def test_without_a_model_the_published_constraints_become_checkers():
    project = make_project()
    make_prompt(project, given=GIVEN)

    ended = run(project, "--no-model")

    assert ended.result == counts(specs=1, constraints=2, checkers=1)
    assert "Kept, but no checker answers them yet: detectable_format:rephrase 1" in ended.messages


@pytest.mark.django_db
def test_types_that_are_refused_by_name_are_no_error():
    project = make_project()
    refused = {"instruction_id_list": ["detectable_format:rephrase"], "kwargs": [{}]}
    make_prompt(project, given=refused)

    ended = run(project, "--no-model")

    assert (ended.code, ended.result) == (0, counts(constraints=1, failed=1))
    assert "Prompt 1: No checker answers what it asks for" in ended.messages


@pytest.mark.django_db
def test_nothing_to_make_a_spec_from_is_an_error():
    project = make_project()
    make_prompt(project)

    ended = run(project, "--no-model")

    assert (ended.code, ended.result) == (1, counts(failed=1))


@pytest.mark.django_db
def test_where_every_prompt_has_a_spec_nothing_is_done():
    project = make_project()
    make_prompt(project, given=GIVEN)
    run(project, "--no-model")

    ended = run(project, "--no-model")

    assert (ended.code, ended.result) == (0, counts())
    assert "has a spec" in ended.messages


@pytest.mark.django_db
def test_ctrl_c_pauses_the_job_after_what_is_under_way(monkeypatch):
    project = make_project()
    for number in range(3):
        make_prompt(project, f"prompt {number}", given=GIVEN)
    real = services.carry_making

    def pressed(**values):
        def ending():
            if Spec.objects.exists() and not values["ending"]():
                signal.raise_signal(signal.SIGINT)
            return values["ending"]()

        return real(**{**values, "ending": ending})

    monkeypatch.setattr(services, "carry_making", pressed)
    ended = run(project, "--no-model")

    assert (ended.code, ended.result["specs"]) == (1, 1)
    assert "Stopped from the keyboard." in ended.messages
    assert Job.objects.get().state == Job.State.PAUSED


@pytest.mark.django_db
def test_an_unknown_project_is_named():
    ended = run(Project(slug="nowhere"), "--no-model")

    assert ended.code == 1
    assert "nowhere" in ended.messages


@pytest.mark.django_db(transaction=True)
def test_the_model_writes_rubrics_and_every_call_can_be_rebuilt(stub):
    project = make_project()
    for number in range(5):
        make_prompt(project, f"{PROMPT} Version {number}.")

    ended = run(project)

    sent = sorted(one.body_sha256 for one in stub.log())
    stored = list(Call.objects.all())
    assert (ended.code, ended.result["specs"], ended.result["checkers"]) == (0, 5, 5)
    assert sorted(call.request_sha256 for call in stored) == sent
    assert all(calls.rebuild_request(call) for call in stored)
    # label, rubric and constraints of five prompts, beside the questions of the probe
    assert Call.objects.filter(job_id=Job.objects.get().pk).count() == 15


@pytest.mark.django_db(transaction=True)
def test_a_spec_names_the_calls_templates_and_models_behind_it(stub):
    project = make_project()
    make_prompt(project, PROMPT)

    run(project)

    asked = Spec.objects.get().provenance["asked"]
    assert Call.objects.get(pk=asked["rubric"]["calls"][-1]).role == "rubric"
    assert {"rubric"} < set(asked["rubric"]["templates"])
    assert asked["label"]["configuration"]["model"] == "judge"


@pytest.mark.django_db(transaction=True)
def test_a_server_that_is_down_is_said_to_be_down_and_nothing_is_written(stub, monkeypatch):
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:9/v1")
    project = make_project()
    make_prompt(project, PROMPT)

    ended = run(project)

    assert (ended.code, {**ended.result, "error": ""}) == (1, {**counts(), "error": ""})
    assert "nothing listens at http://127.0.0.1:9/v1" in ended.messages
    assert not Job.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_server_that_ignores_the_constraint_is_not_asked_in_earnest(stub):
    stub.configure(faults={"ignored": 1.0})
    project = make_project()
    make_prompt(project, PROMPT)

    ended = run(project)

    assert ended.code == 1
    assert "ignores what an answer is held to" in ended.messages
    assert not Job.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_nonsense_for_some_prompts_fails_those_and_no_other(stub):
    project = make_project()
    for number in range(12):
        make_prompt(project, f"{PROMPT} Version {number}.")
    calls.seed_models()
    # An unusable answer is asked for three times: 0.6^3 = 0.22 of the questions fail, so about half
    # of the prompts with their three questions.
    stub.configure(faults={"nonsense": 0.4, "null_content": 0.2})

    job = make(project)

    specs, failures = Spec.objects.filter(job=job), SpecFailure.objects.filter(job=job)
    assert specs.count() + failures.count() == 12
    assert 0 < failures.count() < 12
    assert all(one.criteria.exists() for one in specs)
    assert set(failures.values_list("cause", flat=True)) <= {"unparsable", "empty", "thinking_only"}


@pytest.mark.django_db(transaction=True)
def test_a_server_that_stays_overloaded_stops_the_job_and_keeps_what_was_asked(stub):
    project = make_project()
    for number in range(10):
        make_prompt(project, f"{PROMPT} Version {number}.")
    calls.seed_models()
    stub.configure(faults={"http_503": 1.0}, retry_after=0.0)

    job = make(project)

    assert job.state == Job.State.PAUSED
    assert "answered 503" in job.error
    assert Call.objects.filter(error_cause="server_error", http_status=503).exists()
    assert not Spec.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_slow_server_fails_a_prompt_with_the_time_it_was_given(stub):
    project = make_project()
    make_prompt(project, PROMPT)
    calls.seed_models()
    ModelEndpoint.objects.update(timeout_seconds=1)
    stub.configure(faults={"hang": 1.0})

    make(project)

    failure = SpecFailure.objects.get()
    assert failure.cause == "timeout"
    assert "did not answer within 1 s" in failure.reason


@pytest.mark.django_db(transaction=True)
def test_the_task_carries_a_job_from_the_queue_to_its_end(stub):
    project = make_project()
    for number in range(3):
        make_prompt(project, f"{PROMPT} Version {number}.")
    calls.seed_models()
    job = services.start_making(project=project)

    tasks.make_specs(job_id=job.pk, **job.arguments)

    job.refresh_from_db()
    assert (job.state, job.done, job.result["specs"]) == (Job.State.DONE, 3, 3)
