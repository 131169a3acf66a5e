"""Reward configurations and the rewards computed under them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class RewardConfig(models.Model):
    """A named, versioned setting of an aggregator. Never changes, by trigger."""

    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, related_name="reward_configs"
    )
    name = models.CharField(max_length=80)
    version = models.PositiveIntegerField()
    aggregator = models.CharField(max_length=30)
    # As HybridSettings.to_dict() writes it; every derived choice is in it by name.
    settings = models.JSONField()
    sha256 = models.CharField(max_length=64)
    author = models.ForeignKey(
        "accounts.User", on_delete=models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "name", "version"], name="rewards_config_version"
            ),
            models.UniqueConstraint(
                fields=["project", "name", "sha256"], name="rewards_config_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"


class RewardRun(models.Model):
    """One computation of rewards: a configuration over the verdicts and outcomes of given runs."""

    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, related_name="reward_runs"
    )
    number = models.PositiveIntegerField()
    config = models.ForeignKey(RewardConfig, on_delete=models.PROTECT, related_name="runs")
    judge_run = models.ForeignKey(
        "judging.JudgeRun", on_delete=models.PROTECT, null=True, related_name="reward_runs"
    )
    check_run = models.ForeignKey(
        "judging.CheckRun", on_delete=models.PROTECT, null=True, related_name="reward_runs"
    )
    # Of everything that decides the rewards: equal inputs are one run.
    inputs_sha256 = models.CharField(max_length=64)
    requested_by = models.ForeignKey(
        "accounts.User", on_delete=models.PROTECT, null=True, related_name="+"
    )
    # Counts, mean, coverage, flags of the whole run, with the rule each was counted by.
    summary = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="rewards_run_number"),
            models.UniqueConstraint(
                fields=["project", "inputs_sha256"], name="rewards_equal_inputs_once"
            ),
            models.CheckConstraint(
                condition=Q(judge_run__isnull=False) | Q(check_run__isnull=False),
                name="rewards_run_has_evidence",
            ),
        ]

    def __str__(self) -> str:
        return f"reward run {self.number}"


class Reward(models.Model):
    """The number a trainer would receive for one rollout, with its parts. Append-only."""

    id = models.BigAutoField(primary_key=True)
    # No index of its own: a constraint and an index begin with it.
    run = models.ForeignKey(
        RewardRun, on_delete=models.PROTECT, related_name="rewards", db_index=False
    )
    rollout = models.ForeignKey(
        "rollouts.Rollout", on_delete=models.PROTECT, related_name="rewards"
    )
    reward = models.FloatField(null=True)
    advantage = models.FloatField(null=True)
    # Name -> number or null: rubric, code, global and what later aggregators add.
    components = models.JSONField(default=dict)
    coverage = models.FloatField()
    flags = models.JSONField(default=list)
    # Why there is no reward; empty when there is one.
    reason = models.CharField(max_length=60, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "rollout"], name="rewards_one_a_rollout"),
            models.CheckConstraint(
                condition=Q(reward__isnull=False, reason="")
                | (Q(reward__isnull=True) & ~Q(reason="")),
                name="rewards_none_has_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(coverage__gte=0, coverage__lte=1), name="rewards_coverage_is_a_share"
            ),
            models.CheckConstraint(
                condition=Q(reward__isnull=True) | Q(reward__gte=-1e9, reward__lte=1e9),
                name="rewards_are_finite",
            ),
        ]
        indexes = [models.Index(fields=["run", "id"], name="rewards_by_run")]

    def __str__(self) -> str:
        return f"reward {self.reward}"
