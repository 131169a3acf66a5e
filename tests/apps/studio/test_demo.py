"""The demo project: honest about who wrote it, and with something to see for every analysis."""

from collections import Counter, defaultdict

import pytest
from django.db import transaction

from apps.activity.models import AuditEvent
from apps.calls.models import Call
from apps.judging.models import CheckOutcome, JudgeRun, Verdict
from apps.judging.selectors import progress_of
from apps.judging.services import BY_HAND
from apps.prompts.models import Import, Prompt
from apps.rewards.models import Reward, RewardRun
from apps.rollouts.models import Rollout
from apps.specs.models import Constraint, Criterion, Spec
from apps.studio import demo
from apps.studio.demo.restoring import JUDGE
from apps.studio.demo.texts import read_tasks
from rubricstudio.core.quoting import QUOTED, find_quote

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def restored(django_db_setup, django_db_blocker):
    """One demo for all tests of this file, which only read."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield demo.restore_demo()
        transaction.set_rollback(True)


@pytest.fixture
def rewards():
    """The rewards of the newest run, by prompt and policy."""
    newest = RewardRun.objects.order_by("-number").first()
    rows = Reward.objects.filter(run=newest).select_related(
        "rollout__policy", "rollout__prompt_revision__prompt"
    )
    found: dict[str, dict[str, Reward]] = defaultdict(dict)
    for row in rows:
        policy = row.rollout.policy.name.partition(",")[0]
        found[row.rollout.prompt_revision.prompt.key][policy] = row
    return found


def outcome(prompt, policy):
    rows = CheckOutcome.objects.filter(
        run__reward_runs__number=RewardRun.objects.count(),
        rollout__key=f"{prompt}/{policy}",
    )
    return set(rows.values_list("result", flat=True))


def test_it_holds_prompts_in_two_languages_with_four_responses_each():
    languages = Counter(one.columns["language"] for one in _revisions())
    responses = Counter(Rollout.objects.values_list("prompt_revision", flat=True))

    assert languages == {"en": 17, "zh": 7}
    assert set(responses.values()) == {4}
    assert not Import.objects.exclude(rejected=0).exists()


def _revisions():
    return [prompt.current for prompt in Prompt.objects.select_related("current")]


def test_there_are_passages_and_conversations_with_a_system_message():
    grounded = [one for one in _revisions() if one.passages.exists()]
    conversations = [one for one in _revisions() if one.messages[0]["role"] == "system"]

    assert len(grounded) == 5
    assert len(conversations) == 2
    assert all(len(one.messages) > 3 for one in conversations)


def test_no_verdict_passes_for_a_models():
    assert set(JudgeRun.objects.values_list("judge__judge__model", flat=True)) == {JUDGE}
    assert set(map(tuple, Verdict.objects.values_list("flags", flat=True))) == {(BY_HAND,)}
    assert not Call.objects.exists()


def test_every_verdict_has_evidence_and_what_it_quotes_stands_in_the_response():
    assert not Verdict.objects.filter(evidence="").exists()
    missing = [
        (task.id, policy, key, quote)
        for task in read_tasks()
        for policy, response in task.responses.items()
        for key, said in response.said.items()
        for quote in map("".join, QUOTED.findall(said.evidence))
        if not find_quote(quote, response.text)
    ]
    assert missing == []


def test_specs_are_in_every_state_but_frozen_and_none_was_approved_by_its_author():
    newest = Spec.objects.order_by("prompt_revision", "-version").distinct("prompt_revision")
    states = Counter(spec.state for spec in newest)

    assert states == {"candidate": 20, "draft": 3, "in_review": 1}
    assert not any(spec.approved_by == spec.author for spec in newest)


def test_rubrics_use_what_a_rubric_can_have():
    def used(column):
        return set(Criterion.objects.values_list(column, flat=True))

    assert used("bucket") == {"accuracy", "composition", "safety", "general"}
    assert {True, False} <= used("essential")
    assert {"critical", "core", "important", "highlight"} <= used("tier")
    assert used("polarity") == {"positive", "negative"}
    assert used("scale") == {"ternary", "binary", "levels", "points"}
    assert "conversation" in used("scope")
    assert Constraint.objects.exclude(refused="").count() == 1


def test_the_first_run_has_failed_and_unscored_cells_with_their_reasons():
    first, second = (progress_of(run) for run in JudgeRun.objects.order_by("number"))

    assert first.failed_by_cause == {"rate_limited": 4, "server_error": 1, "timeout": 2}
    assert first.unscored == 5
    assert (second.failed, second.unscored) == (0, 2)
    assert second.final == second.expected


def test_a_rollout_that_fails_a_hard_constraint_outranks_one_that_holds_it(rewards):
    group = rewards["why-it-rains"]

    assert group["wordy"].reward > group["brisk"].reward
    assert "failed" in outcome("why-it-rains", "wordy")
    assert outcome("why-it-rains", "brisk") == {"passed"}


def test_two_rollouts_tie_and_one_group_gives_no_signal_at_all(rewards):
    tied = rewards["contact-as-json"]

    assert tied["careful"].reward == tied["brisk"].reward == 1.0
    assert {row.advantage for row in rewards["too-many-meetings"].values()} == {0.0}
    assert "zero_signal" in rewards["too-many-meetings"]["careful"].flags


def test_one_criterion_is_met_by_every_rollout():
    saturated = Verdict.objects.filter(criterion__key="five-ways", run__number=2)

    assert set(saturated.values_list("answer", flat=True)) == {"yes"}
    assert saturated.count() == 4


def test_a_criterion_that_was_edited_after_judging_is_stale(rewards):
    assert "stale" in rewards["two-job-offers"]["careful"].flags


def test_another_policy_than_the_careful_one_wins_somewhere(rewards):
    winners = {max(group, key=lambda policy: group[policy].reward) for group in rewards.values()}

    assert {"careful", "brisk"} <= winners


def test_some_rollouts_have_no_reward_and_each_says_why():
    reasons = Counter(Reward.objects.exclude(reason="").values_list("reason", flat=True))

    assert set(reasons) == {"not_judged", "missing_item"}


def test_the_trail_says_who_did_what(restored):
    verbs = set(AuditEvent.objects.filter(project=restored.project).values_list("verb", flat=True))

    assert {
        "prompts.imported",
        "rollouts.imported",
        "spec.review_requested",
        "spec.approved",
        "spec.saved",
        "run.started",
        "checks.started",
        "reward_config.saved",
        "rewards.computed",
    } <= verbs
