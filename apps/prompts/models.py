"""The tasks given to a policy: imports, prompts, their revisions, passages and references."""

from __future__ import annotations

import uuid
from pathlib import Path

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import HashIndex
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Domain(models.Model):
    """A family of prompts that share a domain meta-rubric."""

    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, related_name="domains"
    )
    key = models.SlugField(max_length=60)
    name = models.CharField(max_length=150)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="prompts_domain_key")
        ]

    def __str__(self) -> str:
        return self.name


class Import(models.Model):
    """One file that was read: where it came from, what it may be used for, what became of it."""

    class Kind(models.TextChoices):
        PROMPTS = "prompts", _("Prompts")
        ROLLOUTS = "rollouts", _("Rollouts")

    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, related_name="imports"
    )
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=8, choices=Kind)
    filename = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    format = models.CharField(max_length=20)
    encoding = models.CharField(max_length=20)
    # What a person said about the file: format, encoding, which column plays which part.
    options = models.JSONField(default=dict)
    licence = models.CharField(max_length=100, blank=True)
    url = models.CharField(max_length=500, blank=True)
    allowed_use = models.CharField(max_length=200, blank=True)
    new = models.PositiveIntegerField(default=0)
    identical = models.PositiveIntegerField(default=0)
    changed = models.PositiveIntegerField(default=0)
    rejected = models.PositiveIntegerField(default=0)
    # What a reader should know: keys that went to columns, duplicates in the file …
    notes = models.JSONField(default=list)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="prompts_import_number")
        ]

    def __str__(self) -> str:
        return self.filename


class Upload(models.Model):
    """A file that somebody sent to be looked at: it is checked first and then imported.

    The file lies in the folder of uploads until it is imported, or until nobody wanted it for a
    week. `options` is what the person says about it, as `ImportFile` takes it; `extra` what only
    one kind of import asks for.
    """

    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, related_name="uploads", db_index=False
    )
    key = models.UUIDField(unique=True, default=uuid.uuid4)
    kind = models.CharField(max_length=8, choices=Import.Kind)
    filename = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    options = models.JSONField(default=dict)
    extra = models.JSONField(default=dict)
    # The dry run with these options, and the import.
    check_job = models.ForeignKey(
        "activity.Job", on_delete=models.PROTECT, null=True, related_name="+"
    )
    import_job = models.ForeignKey(
        "activity.Job", on_delete=models.PROTECT, null=True, related_name="+"
    )
    # What it became.
    source = models.OneToOneField(
        Import, on_delete=models.PROTECT, null=True, related_name="upload"
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["project", "-id"], name="prompts_upload_by_project")]

    def __str__(self) -> str:
        return self.filename

    @property
    def path(self) -> Path:
        """Where the file lies."""
        return Path(settings.UPLOADS_DIR) / self.key.hex

    @property
    def head_path(self) -> Path:
        """Where the beginning of a large file lies once somebody has looked at it."""
        return self.path.with_suffix(".head")


class Reject(models.Model):
    """A row of a file that was not taken, and why."""

    source = models.ForeignKey(Import, on_delete=models.PROTECT, related_name="rejects")
    line = models.PositiveIntegerField()
    column = models.PositiveIntegerField(null=True)
    reason = models.TextField()
    excerpt = models.CharField(max_length=120, blank=True)

    class Meta:
        ordering = ["line", "id"]

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


class Prompt(models.Model):
    """A task, by its key: the external id, else the sha256 of its canonical messages."""

    class Split(models.TextChoices):
        TRAIN = "train", _("Train")
        VALIDATION = "validation", _("Validation")
        TEST = "test", _("Test")

    # Here and below: no index of its own where a unique constraint begins with the column.
    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, related_name="prompts", db_index=False
    )
    number = models.PositiveIntegerField()
    key = models.CharField(max_length=200)
    has_external_id = models.BooleanField()
    domain = models.ForeignKey(
        Domain, on_delete=models.PROTECT, null=True, blank=True, related_name="prompts"
    )
    split = models.CharField(max_length=10, choices=Split, default=Split.TRAIN)
    tags = ArrayField(models.CharField(max_length=60), default=list, blank=True)
    # The newest revision, kept here so that a list needs no join per row.
    current = models.OneToOneField(
        "PromptRevision", on_delete=models.PROTECT, null=True, related_name="current_of"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="prompts_prompt_key"),
            models.UniqueConstraint(fields=["project", "number"], name="prompts_prompt_number"),
        ]

    def __str__(self) -> str:
        return f"prompt {self.number}"


class PromptRevision(models.Model):
    """The text of a prompt as it once was. Never changes, by trigger: a change is a new revision.

    `messages` and `tools` are typed (rubricstudio.core.types.Message); `columns` holds what the
    file had beside them; `given` the published constraints or rubric rows that make_specs reads.
    """

    prompt = models.ForeignKey(
        Prompt, on_delete=models.PROTECT, related_name="revisions", db_index=False
    )
    revision = models.PositiveIntegerField()
    messages = models.JSONField()
    tools = models.JSONField(default=list)
    columns = models.JSONField(default=dict)
    given = models.JSONField(default=dict)
    # Of everything above, passages and references included: what a changed row differs by.
    content_sha256 = models.CharField(max_length=64)
    # Of the white-space-folded last user turn: how rollouts without an id find their prompt.
    text_sha256 = models.CharField(max_length=64)
    # The first 300 characters of the last user turn, so that lists never read messages.
    excerpt = models.CharField(max_length=300)
    characters = models.PositiveIntegerField()
    source = models.ForeignKey(Import, on_delete=models.PROTECT, related_name="revisions")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["prompt", "revision"], name="prompts_one_text_a_revision"
            ),
            models.CheckConstraint(condition=Q(revision__gte=1), name="prompts_revisions_from_one"),
        ]
        # Only ever compared for equality; a tree of random texts costs three times as much to fill.
        indexes = [HashIndex(fields=["text_sha256"], name="prompts_revision_by_text")]

    def __str__(self) -> str:
        return f"revision {self.revision} of prompt {self.prompt_id}"


class Passage(models.Model):
    """A numbered source text that a grounded rubric may lean on (1-based, in order)."""

    revision = models.ForeignKey(
        PromptRevision, on_delete=models.PROTECT, related_name="passages", db_index=False
    )
    position = models.PositiveIntegerField()
    title = models.CharField(max_length=500, blank=True)
    text = models.TextField()
    url = models.CharField(max_length=1000, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["revision", "position"], name="prompts_passage_order")
        ]

    def __str__(self) -> str:
        return f"passage {self.position}"


class Reference(models.Model):
    """An answer that serves as an example, not as the truth."""

    revision = models.ForeignKey(
        PromptRevision, on_delete=models.PROTECT, related_name="references", db_index=False
    )
    position = models.PositiveIntegerField()
    text = models.TextField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["revision", "position"], name="prompts_reference_order")
        ]

    def __str__(self) -> str:
        return f"reference {self.position}"
