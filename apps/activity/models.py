"""What happened and what is going on: the audit trail, jobs and the workers that carry them, and
what people have typed and not saved yet.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _


class AuditEvent(models.Model):
    """One act of one person or of the system. Append-only, by trigger."""

    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, null=True, blank=True, related_name="events"
    )
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="events"
    )
    at = models.DateTimeField(auto_now_add=True)
    verb = models.CharField(max_length=60)
    target_type = models.CharField(max_length=60)
    target_id = models.CharField(max_length=80)
    reason = models.TextField(blank=True)
    detail = models.JSONField(default=dict)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["project", "-id"], name="activity_event_by_project"),
            models.Index(fields=["target_type", "target_id"], name="activity_event_by_target"),
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.target_type} {self.target_id}"


class Seal(models.Model):
    """A hash over a stretch of the trail of one project, chained to the seal before it."""

    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, null=True, related_name="seals"
    )
    first_event_id = models.BigIntegerField()
    last_event_id = models.BigIntegerField()
    events = models.PositiveIntegerField()
    previous_sha256 = models.CharField(max_length=64, blank=True)
    sha256 = models.CharField(max_length=64)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "first_event_id"],
                name="activity_one_seal_per_stretch",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=Q(last_event_id__gte=F("first_event_id")), name="activity_seal_order"
            ),
        ]

    def __str__(self) -> str:
        return self.sha256


class Job(models.Model):
    """A piece of background work: who asked, how far it is, when it was last heard of."""

    class State(models.TextChoices):
        QUEUED = "queued", _("Queued")
        RUNNING = "running", _("Running")
        PAUSED = "paused", _("Paused")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    FINAL = (State.DONE, State.FAILED, State.CANCELLED)

    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, null=True, related_name="jobs"
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="jobs"
    )
    kind = models.CharField(max_length=40)
    # The task's name and arguments, so that the sweeper can enqueue lost work again.
    task = models.CharField(max_length=200)
    arguments = models.JSONField(default=dict)
    state = models.CharField(max_length=9, choices=State, default=State.QUEUED)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    result = models.JSONField(default=dict)
    cost = models.JSONField(default=dict)
    # A cause class (lost_worker, transport …) and a sentence for people.
    error_cause = models.CharField(max_length=40, blank=True)
    error = models.TextField(blank=True)
    worker = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    enqueued_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["project", "-id"], name="activity_job_by_project"),
            models.Index(
                fields=["state", "heartbeat_at"],
                name="activity_job_open",
                condition=Q(state__in=["queued", "running", "paused"]),
            ),
        ]
        constraints = [
            # No state without a deadline: what runs is heard of, what has ended has a date.
            models.CheckConstraint(
                condition=~Q(state="running") | Q(heartbeat_at__isnull=False),
                name="activity_running_job_has_a_heartbeat",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["done", "failed", "cancelled"])
                ^ Q(finished_at__isnull=True),
                name="activity_finished_job_has_a_date",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @property
    def is_final(self) -> bool:
        return self.state in self.FINAL


class Worker(models.Model):
    """A worker process and when it was last seen; a page and /healthz read this."""

    name = models.CharField(max_length=120, primary_key=True)
    pid = models.PositiveIntegerField()
    queues = models.JSONField(default=list)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.name


class Draft(models.Model):
    """What one person typed into a form and has not saved yet; `version` counts its own saves."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="drafts", db_index=False
    )
    project = models.ForeignKey("accounts.Project", on_delete=models.CASCADE, related_name="drafts")
    # The name of the form within the project, e.g. "settings" or "spec-412".
    key = models.CharField(max_length=200)
    # Field name -> text, or the texts of a field with several.
    body = models.JSONField(default=dict)
    version = models.PositiveIntegerField(default=1)
    saved_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "project", "key"], name="activity_one_draft_a_form"
            )
        ]

    def __str__(self) -> str:
        return f"draft of {self.key}"
