"""`manage.py judge` without a worker: it does the work itself and waits for the end."""

import json
import signal
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from apps.activity.management import progress
from apps.calls.models import Call
from apps.judging import services
from apps.judging.models import JudgeRun, Shard, Verdict
from apps.judging.services import carrying, judges, shards
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_slots")]


@pytest.fixture
def judge(stub, monkeypatch, capsys, quick_retries):
    """Runs the command against the stub: its result, messages and exit code."""
    named = {"LLM_BASE_URL": stub.base_url, "LLM_MODEL": "judge", "LLM_BACKEND": "vllm"}
    for name, value in named.items():
        monkeypatch.setenv(name, value)

    def run(project, **options):
        code: str | int | None = 0
        try:
            call_command("judge", project=project.slug, **options)
        except SystemExit as ended:
            code = ended.code
        told = capsys.readouterr()
        return json.loads(told.out.splitlines()[-1]), told.err, code

    return run


def test_it_judges_everything_and_reports_the_counts(judge, fill):
    result, messages, code = judge(fill(rollouts=2, criteria=2))

    assert result == {"run": 1, "expected": 6, "scored": 6, "unscored": 0, "failed": 0}
    assert "Run 1: 6 of 6" in messages
    assert code == 0


def test_a_chat_template_that_nobody_told_is_said_to_be_unknown(judge, fill, stub):
    stub.configure(chat_template="")

    _result, messages, code = judge(fill())

    assert "it stands as unknown in the judge. Start vLLM with --enable-tok" in messages
    assert JudgeRun.objects.get().judge["judge"]["chat_template_sha256"] == "unknown"
    assert code == 0


def test_a_limit_judges_so_many_rollouts(judge, fill):
    result, _messages, _code = judge(fill(rollouts=3, criteria=2), limit=1, samples=2)

    assert result["expected"] == 6


def test_unscored_and_failed_cells_are_final_too(judge, fill, stub, monkeypatch):
    project = fill(criteria=3)
    break_after_the_probe(monkeypatch, stub, {"nonsense": 0.5, "http_500": 0.5})

    result, _messages, code = judge(project)

    assert result["scored"] + result["unscored"] + result["failed"] == result["expected"] == 4
    assert result["unscored"] > 0
    assert code == 0


def test_rollouts_that_are_left_out_are_told(judge, fill):
    project = fill()
    factories.make_rollout(factories.make_prompt(project, "No spec."))

    _result, messages, _code = judge(project)

    assert "1 rollout is not judged: its prompt has no spec" in messages


def test_a_blocked_run_stands_still_and_says_how_to_go_on(judge, fill, stub, monkeypatch):
    project = fill()
    break_after_the_probe(monkeypatch, stub, {"http_401": 1.0})

    result, messages, code = judge(project)

    assert code == 1
    assert result == {"run": 1, "expected": 3, "scored": 0, "unscored": 0, "failed": 0}
    assert "Check LLM_API_KEY" in messages
    assert f"manage.py judge --project {project.slug} --resume 1" in messages


def test_a_run_is_resumed_where_it_stood(judge, fill, stub, monkeypatch):
    project = fill()
    with monkeypatch.context() as patched:
        break_after_the_probe(patched, stub, {"http_401": 1.0})
        judge(project)
    stub.configure(faults={})

    result, _messages, code = judge(project, resume=1)

    assert result == {"run": 1, "expected": 3, "scored": 3, "unscored": 0, "failed": 0}
    assert code == 0


def test_what_failed_is_asked_again_in_a_run_of_its_own(judge, fill, stub, monkeypatch):
    project = fill()
    with monkeypatch.context() as patched:
        break_after_the_probe(patched, stub, {"http_500": 1.0})
        judge(project)
    stub.configure(faults={})

    result, _messages, _code = judge(project, scope="failed")

    assert result == {"run": 2, "expected": 3, "scored": 3, "unscored": 0, "failed": 0}


def test_with_nothing_failed_the_run_itself_is_reported_again(judge, fill):
    project = fill()
    first, _messages, _code = judge(project)

    again, _messages, code = judge(project, scope="failed")

    assert again == first
    assert code == 0
    assert JudgeRun.objects.count() == 1


def test_settings_of_a_run_that_goes_on_are_refused(judge, fill):
    result, messages, code = judge(fill(), resume=1, samples=2)

    assert code == 1
    assert "leave out --samples" in messages
    assert result["run"] is None


def test_without_a_model_server_nothing_is_started(judge, fill, monkeypatch):
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:9/v1")
    project = fill()

    _result, messages, code = judge(project)

    assert code == 1
    assert "The model server cannot be used" in messages
    assert not JudgeRun.objects.exists()


def test_how_far_it_is_is_told_when_that_has_changed_and_no_line_twice(
    judge, fill, stub, monkeypatch
):
    monkeypatch.setattr(progress, "EVERY", 0.0)
    monkeypatch.setattr(carrying, "BEAT_SECONDS", 0.02)
    stub.configure(latency=0.3)

    _result, messages, _code = judge(fill(rollouts=2, criteria=2))

    told = [line for line in messages.splitlines() if line.startswith("Run 1:")]
    assert told[-1].startswith("Run 1: 6 of 6")
    assert len(told) == len(set(told)) > 1


def test_ctrl_c_leaves_a_run_that_can_be_resumed(judge, fill, monkeypatch):
    def interrupted(**_values):
        raise KeyboardInterrupt

    project = fill()
    with monkeypatch.context() as patched:
        patched.setattr(services, "judge_shard", interrupted)
        result, messages, code = judge(project)
    resumed, _messages, _code = judge(project, resume=result["run"])

    assert code == 1
    assert f"--project {project.slug} --resume 1" in messages
    assert resumed["scored"] == 3


def test_ctrl_c_keeps_what_was_under_way(judge, fill, stub, monkeypatch):
    real = services.judge_shard

    def pressed_after_a_verdict(**values):
        def on_beat():
            if Verdict.objects.exists() and not values["ending"]():
                signal.raise_signal(signal.SIGINT)

        return real(**{**values, "on_beat": on_beat})

    monkeypatch.setattr(services, "judge_shard", pressed_after_a_verdict)
    stub.configure(latency=0.02)
    result, messages, code = judge(fill(rollouts=40, criteria=4))

    calls = Call.objects.filter(job_id=JudgeRun.objects.get().job_id)
    assert code == 1
    assert "Press Ctrl-C again" in messages
    assert 0 < result["scored"] == calls.count() < result["expected"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_twice_leaves_at_once(judge, fill, monkeypatch):
    def pressed_twice(**_values):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("it went on")

    monkeypatch.setattr(services, "judge_shard", pressed_twice)
    _result, messages, code = judge(fill())

    assert code == 1
    assert "Stopped from the keyboard." in messages


def test_a_shard_that_a_killed_command_left_behind_is_taken_over(judge, fill, use_model, stub):
    use_model(stub.base_url)
    project = fill()
    run = services.start_run(project=project).run
    shards.claim_shard(shard_id=run.shards.get().pk, worker="killed")
    Shard.objects.update(heartbeat_at=timezone.now() - timedelta(minutes=1))

    result, _messages, code = judge(project, resume=run.number)

    assert (result["scored"], code) == (3, 0)


def break_after_the_probe(monkeypatch, stub, faults):
    """The server works when it is looked at and breaks before the first question."""
    real = services.start_run

    def start_run(**values):
        started = real(**values)
        judges.usable_judge_for(started.run)
        stub.configure(faults=faults)
        return started

    monkeypatch.setattr(services, "start_run", start_run)
