"""Judge runs and their verdicts, check runs and their outcomes.

A run is one pass of one judge over rollouts; its shards carry it; its cells are
(criteria + 1 global) x rollouts. A verdict is final for its run. What has no row yet is queued or
running, counted from the shards.
"""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _


class RunSet(models.Model):
    """Runs that belong together: k repeats, or an ensemble of judges."""

    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, related_name="run_sets"
    )
    name = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name or f"run set {self.pk}"


class JudgeRun(models.Model):
    """One pass of one judge over rollouts."""

    class State(models.TextChoices):
        QUEUED = "queued", _("Queued")
        RUNNING = "running", _("Running")
        PAUSED = "paused", _("Paused")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    class OutputMode(models.TextChoices):
        EXPLAINED = "explained", _("Evidence, then verdict")
        LABEL = "label", _("Label only")

    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT, related_name="runs")
    number = models.PositiveIntegerField()
    run_set = models.ForeignKey(RunSet, on_delete=models.PROTECT, null=True, related_name="runs")
    # A child run asks only what `scope` names and refers to its parent for the rest.
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="children")
    scope = models.CharField(max_length=20, default="all")
    job = models.OneToOneField(
        "activity.Job", on_delete=models.PROTECT, null=True, related_name="judge_run"
    )
    state = models.CharField(max_length=9, choices=State, default=State.QUEUED)
    # The whole identity of the judge (data-model.md), and its hash: a group never mixes two.
    judge = models.JSONField()
    judge_sha256 = models.CharField(max_length=64, db_index=True)
    output_mode = models.CharField(max_length=9, choices=OutputMode, default=OutputMode.EXPLAINED)
    samples = models.PositiveSmallIntegerField(default=1)
    expected = models.PositiveBigIntegerField()
    # Why the run stands still, and what to do about it.
    block_cause = models.CharField(max_length=40, blank=True)
    block_reason = models.TextField(blank=True)
    requested_by = models.ForeignKey(
        "accounts.User", on_delete=models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="judging_run_number"),
            models.CheckConstraint(
                condition=Q(state__in=["done", "failed", "cancelled"])
                ^ Q(finished_at__isnull=True),
                name="judging_finished_run_has_a_date",
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.number}"

    @property
    def judge_model(self) -> str:
        """The model that judges criteria, as its identity names it."""
        return str(self._role("judge").get("model", ""))

    @property
    def is_embedded(self) -> bool:
        """Whether the small model that comes with the product answered: meaningless judgement."""
        return any(self._role(name).get("embedded") for name in ("judge", "global"))

    def _role(self, name: str) -> dict[str, Any]:
        role: dict[str, Any] = self.judge.get(name, self.judge)
        return role if isinstance(role, dict) else self.judge


class Shard(models.Model):
    """A part of a run that one task carries: some rollouts, bounded by time."""

    class State(models.TextChoices):
        QUEUED = "queued", _("Queued")
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")

    run = models.ForeignKey(JudgeRun, on_delete=models.PROTECT, related_name="shards")
    position = models.PositiveIntegerField()
    state = models.CharField(max_length=7, choices=State, default=State.QUEUED)
    # Changes with every claim: a worker that lost its claim writes nothing more under it.
    claim = models.UUIDField(null=True)
    worker = models.CharField(max_length=120, blank=True)
    # How many cells it has; what has no row yet of a running shard is running.
    cells = models.PositiveIntegerField()
    # Claims since a worker last ended well with it: a shard that keeps losing them is given up.
    attempts = models.PositiveSmallIntegerField(default=0)
    enqueued_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    # Questions under way at the last heartbeat: what a lost worker leaves to be asked again.
    in_flight = models.PositiveIntegerField(default=0)
    # Calls asked again after a worker was lost: at most its in-flight limit each time.
    repeated = models.PositiveIntegerField(default=0)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "position"], name="judging_shard_order"),
            models.CheckConstraint(
                condition=~Q(state="running") | Q(heartbeat_at__isnull=False, claim__isnull=False),
                name="judging_running_shard_is_claimed",
            ),
        ]
        indexes = [
            models.Index(
                fields=["heartbeat_at"],
                name="judging_shard_open",
                condition=Q(state__in=["queued", "running"]),
            )
        ]

    def __str__(self) -> str:
        return f"shard {self.position} of run {self.run_id}"


class RunRollout(models.Model):
    """A rollout of a run, with the spec version pinned for it. Append-only."""

    run = models.ForeignKey(JudgeRun, on_delete=models.PROTECT, related_name="run_rollouts")
    shard = models.ForeignKey(Shard, on_delete=models.PROTECT, related_name="run_rollouts")
    rollout = models.ForeignKey(
        "rollouts.Rollout", on_delete=models.PROTECT, related_name="run_rollouts"
    )
    spec = models.ForeignKey("specs.Spec", on_delete=models.PROTECT, related_name="run_rollouts")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "rollout"], name="judging_rollout_once_a_run")
        ]
        indexes = [models.Index(fields=["shard"], name="judging_rollouts_by_shard")]

    def __str__(self) -> str:
        return f"rollout {self.rollout_id} in run {self.run_id}"


class CellState(models.TextChoices):
    SCORED = "scored", _("Scored")
    UNSCORED = "unscored", _("Unscored")
    FAILED = "failed", _("Failed")


class Verdict(models.Model):
    """An answer with its place: one cell of a run. Append-only; partitioned by run.

    `criterion` is null for the global score. `score` is real and only of a scored cell, in the
    [lo, hi] of its scale. `reason` is the unscored reason or the failure cause.
    """

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(
        JudgeRun, on_delete=models.PROTECT, related_name="verdicts", db_index=False
    )
    rollout = models.ForeignKey(
        "rollouts.Rollout", on_delete=models.PROTECT, related_name="verdicts"
    )
    criterion = models.ForeignKey(
        "specs.Criterion", on_delete=models.PROTECT, null=True, related_name="verdicts"
    )
    sample = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=8, choices=CellState)
    reason = models.CharField(max_length=30, blank=True)
    answer = models.CharField(max_length=20, blank=True)
    score = models.FloatField(null=True)
    evidence = models.TextField(blank=True)
    # e.g. no_evidence, coerced, reasoning_stripped: what the parser had to overlook
    flags = models.JSONField(default=list)
    # The last attempt; a hash partition of another table cannot be a foreign key.
    call_id = models.BigIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "rollout", "criterion", "sample"],
                name="judging_one_verdict_a_cell",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=Q(state="scored", score__isnull=False, reason="")
                | (Q(state__in=["unscored", "failed"], score__isnull=True) & ~Q(reason="")),
                name="judging_a_failure_is_never_a_score",
            ),
            models.CheckConstraint(
                condition=Q(score__isnull=True) | Q(score__gte=-1e9, score__lte=1e9),
                name="judging_score_is_finite",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.answer or self.reason}"


class Comparison(models.Model):
    """A judge's answer about two rollouts, in one order: per criterion or whole. Append-only."""

    class Order(models.TextChoices):
        AB = "ab", "A, B"
        BA = "ba", "B, A"

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(
        JudgeRun, on_delete=models.PROTECT, related_name="comparisons", db_index=False
    )
    first = models.ForeignKey("rollouts.Rollout", on_delete=models.PROTECT, related_name="+")
    second = models.ForeignKey("rollouts.Rollout", on_delete=models.PROTECT, related_name="+")
    criterion = models.ForeignKey(
        "specs.Criterion", on_delete=models.PROTECT, null=True, related_name="comparisons"
    )
    # Key of a criterion made from the differences of this pair; empty otherwise.
    adaptive_key = models.CharField(max_length=80, blank=True)
    order = models.CharField(max_length=2, choices=Order)
    sample = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=8, choices=CellState)
    reason = models.CharField(max_length=30, blank=True)
    # -2 … 2, above 0: `first` is better, whatever the order shown.
    score = models.FloatField(null=True)
    evidence = models.TextField(blank=True)
    flags = models.JSONField(default=list)
    call_id = models.BigIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "first", "second", "criterion", "adaptive_key", "order", "sample"],
                name="judging_one_answer_a_comparison",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=Q(state="scored", score__gte=-2, score__lte=2, reason="")
                | (Q(state__in=["unscored", "failed"], score__isnull=True) & ~Q(reason="")),
                name="judging_a_failed_comparison_is_no_score",
            ),
            # One row order for a pair, so that (a, b) and (b, a) cannot both exist.
            models.CheckConstraint(
                condition=Q(first__lt=F("second")), name="judging_pair_in_one_order"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first_id} and {self.second_id}"


class CheckRun(models.Model):
    """One pass of the checkers over rollouts, with the version of the code that answered."""

    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, related_name="check_runs"
    )
    number = models.PositiveIntegerField()
    registry_version = models.CharField(max_length=40)
    # Of the specs and rollouts it covers: equal inputs and an equal registry are one run.
    inputs_sha256 = models.CharField(max_length=64)
    requested_by = models.ForeignKey(
        "accounts.User", on_delete=models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="judging_check_run_number")
        ]

    def __str__(self) -> str:
        return f"check run {self.number}"


class CheckOutcome(models.Model):
    """What one checker said of one rollout. Append-only; partitioned by run."""

    class Result(models.TextChoices):
        PASSED = "passed", _("Passed")
        FAILED = "failed", _("Failed")
        UNAVAILABLE = "unavailable", _("Unavailable")

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(
        CheckRun, on_delete=models.PROTECT, related_name="outcomes", db_index=False
    )
    rollout = models.ForeignKey(
        "rollouts.Rollout", on_delete=models.PROTECT, related_name="check_outcomes"
    )
    checker = models.ForeignKey("specs.Checker", on_delete=models.PROTECT, related_name="outcomes")
    result = models.CharField(max_length=11, choices=Result)
    # ok | exception | timeout | memory | crash | forged | abstained …
    cause = models.CharField(max_length=20)
    reason = models.CharField(max_length=300, blank=True)
    spans = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "rollout", "checker"], name="judging_one_outcome_a_check"
            ),
            models.CheckConstraint(
                condition=Q(result="unavailable") | Q(cause="ok"),
                name="judging_only_a_working_checker_decides",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.result}: {self.reason}"
