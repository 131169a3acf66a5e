"""A job that is stopped keeps the calls of the prompts under way, and leaves them to be done."""

from collections import Counter

import pytest

from apps.activity import services as activity
from apps.activity.models import Job
from apps.calls import services as calls
from apps.calls.models import Call
from apps.specs import selectors, services
from apps.specs.models import Spec, SpecFailure
from apps.specs.services import carrying
from rubricstudio.testing.stub.process import stub_server
from tests.factories import make_project, make_prompt

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stub(tmp_path):
    with stub_server(tmp_path / "requests.jsonl") as running:
        named = {"LLM_BASE_URL": running.base_url, "LLM_MODEL": "judge", "LLM_BACKEND": "vllm"}
        calls.seed_models(named)
        yield running


@pytest.fixture
def job(stub, monkeypatch):
    monkeypatch.setattr(carrying, "BEAT_SECONDS", 0.05)
    monkeypatch.setattr(carrying, "GRACE_SECONDS", 0.1)
    project = make_project()
    for number in range(4):
        make_prompt(project, f"Tell a child about number {number}.")
    return services.start_making(project=project)


def assert_stopped_with_every_call(stub, job):
    kept = Counter(Call.objects.filter(job_id=job.pk).values_list("request_sha256", flat=True))
    assert kept == Counter(one.body_sha256 for one in stub.log())
    assert set(Call.objects.values_list("error_cause", flat=True)) == {"cancelled", "server_error"}
    assert (Spec.objects.count(), SpecFailure.objects.count()) == (0, 0)
    assert selectors.prompts_to_specify(job.project, job=job).count() == 4


def hang_after_some_failures(stub):
    """True from when four requests have failed and others hang."""

    def look():
        state = stub.state()
        if state["requests"] >= 4:
            stub.configure(faults={"hang": 1.0})
        return state["in_flight"] >= 4

    stub.configure(faults={"http_500": 1.0})
    return look


def test_a_worker_that_has_to_end_gives_up_what_takes_long(stub, job):
    services.carry_making(job=job, worker="one", ending=hang_after_some_failures(stub))

    job.refresh_from_db()
    assert job.state == Job.State.QUEUED
    assert_stopped_with_every_call(stub, job)


def test_a_job_that_is_paused_gives_up_what_is_under_way(stub, job):
    hangs = hang_after_some_failures(stub)

    def pause():
        if hangs():
            activity.pause_job(job=Job.objects.get(pk=job.pk))

    services.carry_making(job=job, worker="one", on_beat=pause)

    job.refresh_from_db()
    assert job.state == Job.State.PAUSED
    assert_stopped_with_every_call(stub, job)
