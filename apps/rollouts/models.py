"""What policies answered: one response is a rollout; what is compared together is a group."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Policy(models.Model):
    """A model that answers."""

    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, related_name="policies"
    )
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = _("policies")
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="rollouts_policy_name")
        ]

    def __str__(self) -> str:
        return self.name


class Batch(models.Model):
    """What belongs together in time: one import, or one step of one policy."""

    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, related_name="batches"
    )
    source = models.ForeignKey(
        "prompts.Import", on_delete=models.PROTECT, null=True, related_name="batches"
    )
    policy = models.ForeignKey(Policy, on_delete=models.PROTECT, null=True, related_name="batches")
    step = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = _("batches")
        constraints = [
            models.CheckConstraint(
                condition=Q(source__isnull=False, policy__isnull=True, step__isnull=True)
                | Q(source__isnull=True, policy__isnull=False, step__isnull=False),
                name="rollouts_batch_is_an_import_or_a_step",
            ),
            models.UniqueConstraint(
                fields=["source"],
                condition=Q(source__isnull=False),
                name="rollouts_one_batch_an_import",
            ),
            models.UniqueConstraint(
                fields=["policy", "step"],
                condition=Q(policy__isnull=False),
                name="rollouts_one_batch_a_step",
            ),
        ]

    def __str__(self) -> str:
        return f"batch {self.pk}"


class RolloutGroup(models.Model):
    """The rollouts of one prompt revision that are compared together."""

    # Here and below: no index of its own where a constraint or index begins with the column.
    prompt_revision = models.ForeignKey(
        "prompts.PromptRevision",
        on_delete=models.PROTECT,
        related_name="groups",
        db_index=False,
    )
    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="groups")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["prompt_revision", "batch"], name="rollouts_one_group_a_batch"
            )
        ]

    def __str__(self) -> str:
        return f"group {self.pk}"


class Rollout(models.Model):
    """One response. Never changes, by trigger: other text under the same key is a new revision.

    `key` is the external id, else the content's sha256 with the number of its occurrence.
    """

    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, related_name="rollouts", db_index=False
    )
    number = models.PositiveIntegerField()
    group = models.ForeignKey(
        RolloutGroup, on_delete=models.PROTECT, related_name="rollouts", db_index=False
    )
    # The group's, repeated here for the uniqueness of a key.
    prompt_revision = models.ForeignKey(
        "prompts.PromptRevision",
        on_delete=models.PROTECT,
        related_name="rollouts",
        db_index=False,
    )
    policy = models.ForeignKey(Policy, on_delete=models.PROTECT, related_name="rollouts")
    key = models.CharField(max_length=200)
    revision = models.PositiveIntegerField(default=1)
    messages = models.JSONField()
    content_sha256 = models.CharField(max_length=64)
    excerpt = models.CharField(max_length=300)
    characters = models.PositiveIntegerField()
    step = models.PositiveIntegerField(null=True)
    checkpoint = models.CharField(max_length=200, blank=True)
    trainer_reward = models.FloatField(null=True)
    truncated = models.BooleanField(default=False)
    columns = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="rollouts_number"),
            models.UniqueConstraint(
                fields=["prompt_revision", "policy", "step", "key", "revision"],
                name="rollouts_key",
                nulls_distinct=False,
            ),
        ]
        indexes = [models.Index(fields=["group", "id"], name="rollouts_by_group")]

    def __str__(self) -> str:
        return f"rollout {self.number}"
