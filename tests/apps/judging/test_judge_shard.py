"""A shard from claim to verdicts, against a real server that plays the model."""

from uuid import uuid4

import pytest

from apps.calls.models import Call, ModelEndpoint, ModelRole
from apps.judging import selectors, services
from apps.judging.models import JudgeRun, Shard, Verdict
from apps.judging.services import judges
from rubricstudio.core.canonical import canonical_hash
from rubricstudio.testing.stub import truth
from rubricstudio.testing.stub.process import stub_server
from tests.apps.judging.conftest import carry

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_slots")]


def calls_of(run):
    """The calls of a run, without those by which its models were looked at first."""
    return Call.objects.filter(job_id=run.job_id)


def assert_all_accounted_for(run):
    progress = selectors.progress_of(run)
    states = progress.scored, progress.unscored, progress.failed, progress.queued, progress.running
    assert sum(states) == progress.expected == run.expected


def test_every_cell_gets_the_verdict_that_the_model_gave(started):
    run = carry(started(prompts=2, rollouts=2, criteria=3))

    verdicts = list(Verdict.objects.select_related("rollout", "criterion"))
    assert (run.state, len(verdicts)) == (JudgeRun.State.DONE, 16)
    for verdict in verdicts:
        response = verdict.rollout.messages[-1]["content"]
        if verdict.criterion is None:
            assert verdict.score == truth.planted_score(response)
        else:
            answers = ("yes", "part", "no")
            told = truth.planted_verdict(response, verdict.criterion.text, answers)
            assert verdict.answer == told


def test_the_evidence_and_the_call_of_each_verdict_are_kept(started):
    run = carry(started(criteria=1))

    verdict = Verdict.objects.get(criterion__isnull=False)
    call = calls_of(run).get(role=ModelRole.Name.JUDGE)
    parsed = call.parsed or {}
    assert (verdict.call_id, verdict.run.job_id) == (call.pk, call.job_id)
    assert verdict.evidence
    assert (parsed["answer"], parsed["evidence"]) == (verdict.answer, verdict.evidence)


def test_label_mode_asks_for_a_word_and_keeps_its_probabilities(started):
    run = carry(started(criteria=1, run={"output_mode": "label"}))

    parsed = calls_of(run).get(role=ModelRole.Name.JUDGE).parsed or {}
    assert run.state == JudgeRun.State.DONE
    assert sum(share for _word, share in parsed["probabilities"]) == pytest.approx(1)


def test_samples_are_verdicts_of_their_own(started):
    carry(started(criteria=1, run={"samples": 3}))

    cells = set(Verdict.objects.values_list("criterion__key", "sample"))
    assert cells == {(key, sample) for key in ("c1", None) for sample in range(3)}


UNUSABLE = {
    "nonsense": "unparsable",
    "truncated": "truncated",
    "refusal": "refused",
    "content_filter": "content_filter",
    "empty": "empty",
    "null_content": "thinking_only",
    "off_scale": "off_scale",
}
UNANSWERED = {
    "http_400": "bad_request",
    "http_429": "rate_limited",
    "http_500": "server_error",
    "http_503": "server_error",
    "not_json": "bad_response",
    "reset": "transport",
    "slow": "timeout",
}
UNUSABLE_SERVER = {
    "http_401": "auth",
    "http_402": "quota",
    "http_404": "model_missing",
    "quota": "quota",
}


@pytest.fixture
def carry_with(started, stub):
    """Carries a run of three cells while every request meets the fault."""

    def carried(fault):
        stub.configure(faults={})
        run = started(criteria=2, endpoint={"timeout_seconds": 1})
        stub.configure(faults={fault: 1.0}, retry_after=0.01, slow=5)
        return carry(run)

    return carried


def test_unusable_answers_are_unscored_each_with_its_reason(carry_with):
    found = {fault: carry_with(fault) for fault in UNUSABLE}

    assert {run.state for run in found.values()} == {JudgeRun.State.DONE}
    assert {
        fault: selectors.progress_of(run).unscored_by_reason for fault, run in found.items()
    } == {fault: {reason: 3} for fault, reason in UNUSABLE.items()}


def test_without_an_answer_after_the_retries_a_cell_has_failed_with_its_cause(carry_with):
    found = {fault: carry_with(fault) for fault in UNANSWERED}

    assert {run.state for run in found.values()} == {JudgeRun.State.DONE}
    assert {fault: selectors.progress_of(run).failed_by_cause for fault, run in found.items()} == {
        fault: {cause: 3} for fault, cause in UNANSWERED.items()
    }


def test_a_server_that_answers_nobody_pauses_the_run_with_a_sentence(carry_with):
    found = {fault: carry_with(fault) for fault in UNUSABLE_SERVER}

    assert {fault: run.block_cause for fault, run in found.items()} == UNUSABLE_SERVER
    assert {run.state for run in found.values()} == {JudgeRun.State.PAUSED}
    assert all("cannot be used" in run.block_reason for run in found.values())
    assert not Verdict.objects.exists()


@pytest.fixture
def stopped(fill, use_model, quick_retries, tmp_path):
    """A run whose server was killed in the middle, with its address."""
    with stub_server(tmp_path / "requests.jsonl", latency=0.05) as mortal:
        use_model(mortal.base_url, max_in_flight=4)
        run = services.start_run(project=fill(rollouts=8, criteria=4)).run
        (shard,) = services.take_for_queue(run_id=run.pk)

        def kill_after_a_verdict():
            if Verdict.objects.exists():
                mortal.process.kill()

        services.judge_shard(shard_id=shard, on_beat=kill_after_a_verdict)
        run.refresh_from_db()
        return run, mortal.base_url


def test_a_server_that_goes_down_pauses_the_run_soon_and_fails_no_cell(stopped):
    run, address = stopped

    assert (run.state, run.block_cause) == (JudgeRun.State.PAUSED, "unreachable")
    assert f"nothing listens at {address} (connection refused). Start it" in run.block_reason
    assert set(Verdict.objects.values_list("state", flat=True)) == {"scored"}
    assert Verdict.objects.count() < run.expected
    assert_all_accounted_for(run)


def test_a_run_that_stood_still_for_its_server_goes_on_where_it_was(stopped, stub):
    run, _address = stopped
    services.resume_run(run=run)
    carry(run)
    still_down = (run.state, run.block_cause)

    ModelEndpoint.objects.update(url=stub.base_url)
    services.resume_run(run=run)
    carry(run)

    assert still_down == (JudgeRun.State.PAUSED, "unreachable")
    assert (run.state, run.block_reason) == (JudgeRun.State.DONE, "")
    assert selectors.progress_of(run).scored == Verdict.objects.count() == run.expected


def test_a_server_that_was_down_is_looked_at_anew(stopped, monkeypatch):
    run, _address = stopped
    looked_at = []
    monkeypatch.setattr(
        judges, "probe_endpoint", lambda client, **_project: looked_at.append(client.role.role)
    )

    services.resume_run(run=run)
    carry(run)

    assert looked_at[0] == "judge"


def test_a_storm_of_faults_loses_nothing_and_scores_what_it_can(started, stub):
    run = started(prompts=4, rollouts=4, criteria=4)
    faults = {"http_503": 0.2, "http_429": 0.1, "nonsense": 0.1, "null_content": 0.1, "reset": 0.1}
    stub.configure(faults=faults, retry_after=0.01)

    carry(run)

    progress = selectors.progress_of(run)
    assert run.state == JudgeRun.State.DONE
    assert progress.scored > 0 < progress.failed
    assert progress.unscored_by_reason["unparsable"] > 0
    assert_all_accounted_for(run)


def test_every_attempt_is_kept_also_those_that_failed(started, stub):
    run = started(criteria=1)
    stub.configure(faults={"http_503": 1.0})

    carry(run)

    attempts = calls_of(run).order_by("role", "attempt").values_list("role", "attempt")
    assert list(attempts) == [("global", 1), ("global", 2), ("judge", 1), ("judge", 2)]


def test_a_resumed_run_fills_the_cells_that_have_no_row(started, stub):
    run = started(criteria=2)
    stub.configure(faults={"http_401": 1.0})
    carry(run)
    stub.configure(faults={})

    services.resume_run(run=run)
    carry(run)

    assert (run.state, run.block_reason) == (JudgeRun.State.DONE, "")
    assert selectors.progress_of(run).scored == 3


def test_a_server_that_ignores_the_form_of_an_answer_is_not_judged_with(fill, use_model, stub):
    use_model(stub.base_url)
    run = services.start_run(project=fill()).run
    stub.configure(faults={"ignored": 1.0})

    carry(run)

    assert (run.state, run.block_cause) == (JudgeRun.State.PAUSED, "constraint_ignored")
    assert not Verdict.objects.exists()


def test_a_run_that_was_started_before_any_probe_learns_who_judges_it(fill, use_model, stub):
    use_model(stub.base_url)
    run = services.start_run(project=fill()).run
    before = run.judge["judge"]["chat_template_sha256"]

    carry(run)

    told = run.judge["judge"]
    assert (before, run.state) == ("unknown", JudgeRun.State.DONE)
    assert (len(told["chat_template_sha256"]), told["served_model"]) == (64, "judge")
    assert run.judge_sha256 == canonical_hash(run.judge)


def test_another_chat_template_is_another_judge(started, stub):
    run = started()
    stub.configure(chat_template="{{ messages[-1].content }}")
    judges.look_again(judges.judge_of(project=run.project, output_mode=run.output_mode))

    carry(run)

    assert (run.state, run.block_cause) == (JudgeRun.State.PAUSED, "judge_changed")
    assert "judge.chat_template_sha256" in run.block_reason
    assert not Verdict.objects.exists()


def test_a_judge_that_has_changed_does_not_touch_the_run(started):
    run = started()
    ModelRole.objects.filter(role="judge").update(weights_revision="another")

    carry(run)

    assert (run.state, run.block_cause) == (JudgeRun.State.PAUSED, "judge_changed")
    assert "judge.weights_revision" in run.block_reason


def test_a_shard_that_runs_out_of_time_goes_back_and_the_rest_is_judged_next_time(
    started, stub, settings
):
    settings.SHARD_SECONDS = 0.5
    run = started(prompts=1, rollouts=8, criteria=4, endpoint={"max_in_flight": 4})
    stub.configure(latency=0.15)
    (first,) = services.take_for_queue(run_id=run.pk)

    services.judge_shard(shard_id=first)
    after_one_turn = Verdict.objects.count()
    carry(run)

    # 4 at once, each 0.15 s, for 0.5 s: some 16 of 40
    assert 0 < after_one_turn < 40
    assert Verdict.objects.count() == 40
    assert run.state == JudgeRun.State.DONE


def test_one_task_carries_further_shards_of_the_run(started, settings):
    settings.SHARD_ROLLOUTS = 1
    run = started(rollouts=3)
    first, *_others = services.take_for_queue(run_id=run.pk)

    services.judge_shard(shard_id=first)

    run.refresh_from_db()
    assert run.state == JudgeRun.State.DONE


def test_a_message_that_comes_twice_asks_nothing_again(started):
    run = started()
    (shard,) = services.take_for_queue(run_id=run.pk)
    services.judge_shard(shard_id=shard)
    calls = Call.objects.count()

    again = services.judge_shard(shard_id=shard)

    assert again.stored == 0
    assert Call.objects.count() == calls


def test_a_worker_that_lost_its_shard_gives_no_verdict_more(started, stub):
    run = started(rollouts=4, criteria=4, endpoint={"max_in_flight": 4})
    stub.configure(latency=0.05)
    (shard,) = services.take_for_queue(run_id=run.pk)
    stored_by_then: list[int] = []

    def another_takes_it():
        if not stored_by_then:
            Shard.objects.filter(pk=shard).update(claim=uuid4(), worker="another")
            stored_by_then.append(Verdict.objects.count())

    services.judge_shard(shard_id=shard, on_beat=another_takes_it)

    assert Verdict.objects.count() == stored_by_then[0] < run.expected
    assert Shard.objects.get(pk=shard).worker == "another"


def test_a_worker_that_is_told_to_end_stores_what_is_under_way_and_gives_the_rest_back(
    started, stub
):
    run = started(rollouts=4, criteria=4, endpoint={"max_in_flight": 4})
    stub.configure(latency=0.05)
    (shard,) = services.take_for_queue(run_id=run.pk)
    before = len(stub.log())

    services.judge_shard(shard_id=shard, ending=Verdict.objects.exists)

    assert 0 < Verdict.objects.count() < run.expected
    assert Verdict.objects.count() == len(stub.log()) - before
    assert Shard.objects.get(pk=shard).state == Shard.State.QUEUED


def test_never_more_in_flight_than_the_endpoint_takes(started, stub):
    run = started(rollouts=8, criteria=4, endpoint={"max_in_flight": 3})
    stub.configure(latency=0.02)
    before = len(stub.log())

    carry(run)

    asked = stub.log()[before:]
    assert len(asked) == run.expected
    assert max(one.in_flight for one in asked) == 3
