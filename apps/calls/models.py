"""Everything asked of a model: where, in which role, with which template, and what came back."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Origin(models.TextChoices):
    """Who keeps a row up to date: the environment at each start, or a person."""

    ENVIRONMENT = "environment", _("From the environment")
    PERSON = "person", _("Entered by a person")


class ModelEndpoint(models.Model):
    """A server that speaks the OpenAI protocol. Without a project it serves the installation."""

    class Backend(models.TextChoices):
        VLLM = "vllm", "vLLM"
        LLAMACPP = "llamacpp", "llama.cpp"
        OPENAI = "openai", "OpenAI"

    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, null=True, related_name="endpoints"
    )
    name = models.CharField(max_length=60)
    url = models.CharField(max_length=300)
    backend = models.CharField(max_length=8, choices=Backend)
    # Encrypted with the key file of the data folder; empty when the server asks for none.
    api_key_encrypted = models.BinaryField(blank=True, default=bytes)
    origin = models.CharField(max_length=11, choices=Origin, default=Origin.PERSON)
    # The embedded model's answers are real tokens and meaningless judgement: pages say so.
    is_embedded = models.BooleanField(default=False)
    max_in_flight = models.PositiveIntegerField(default=64)
    timeout_seconds = models.PositiveIntegerField(default=120)
    # A vLLM server started with --scheduling-policy priority; it does not tell.
    sorts_by_priority = models.BooleanField(default=False)
    # {"prompt": price, "completion": price} per million tokens, in `currency`.
    prices = models.JSONField(default=dict)
    # What the last probe found, by model: whether it answers, server version, output mode, when.
    probe = models.JSONField(default=dict)
    disabled_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "name"], name="calls_endpoint_name", nulls_distinct=False
            ),
            models.CheckConstraint(condition=Q(max_in_flight__gt=0), name="calls_some_in_flight"),
        ]

    def __str__(self) -> str:
        return self.name


class EndpointLease(models.Model):
    """Slots of an endpoint that one worker holds for some seconds, so that no call takes a lock."""

    endpoint = models.ForeignKey(ModelEndpoint, on_delete=models.CASCADE, related_name="leases")
    holder = models.CharField(max_length=120)
    slots = models.PositiveIntegerField()
    # What the holder could use: a holder that still waits counts when slots are shared out.
    wanted = models.PositiveIntegerField(default=0)
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["endpoint", "holder"], name="calls_one_lease_a_holder")
        ]

    def __str__(self) -> str:
        return f"{self.slots} for {self.holder}"


class ModelRole(models.Model):
    """Which model, where and with which sampling, plays one of the six roles."""

    class Name(models.TextChoices):
        LABEL = "label", _("Task label")
        RUBRIC = "rubric", _("Rubric writer")
        CONSTRAINTS = "constraints", _("Constraint extractor")
        CODE = "code", _("Checker writer")
        JUDGE = "judge", _("Judge")
        GLOBAL = "global", _("Global scorer")

    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, null=True, related_name="model_roles"
    )
    role = models.CharField(max_length=11, choices=Name)
    endpoint = models.ForeignKey(ModelEndpoint, on_delete=models.PROTECT, related_name="roles")
    model = models.CharField(max_length=200)
    weights_revision = models.CharField(max_length=100, blank=True)
    # Read and written through apps.calls.services.sampling only.
    sampling = models.JSONField(default=dict)
    # A role of the environment follows LLM_MODEL at each start; one that a person set stays.
    origin = models.CharField(max_length=11, choices=Origin, default=Origin.PERSON)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "role"], name="calls_one_model_a_role", nulls_distinct=False
            )
        ]

    def __str__(self) -> str:
        return f"{self.role}: {self.model}"


class Template(models.Model):
    """The text of a request to a model, by name; its versions hold the text."""

    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, null=True, related_name="templates"
    )
    name = models.CharField(max_length=60)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "name"], name="calls_template_name", nulls_distinct=False
            )
        ]

    def __str__(self) -> str:
        return self.name


class TemplateVersion(models.Model):
    """One text of a template. Never changes, by trigger."""

    template = models.ForeignKey(Template, on_delete=models.PROTECT, related_name="versions")
    version = models.PositiveIntegerField()
    text = models.TextField()
    sha256 = models.CharField(max_length=64, db_index=True)
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="+")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["template", "version"], name="calls_one_text_a_version"
            ),
            models.UniqueConstraint(fields=["template", "sha256"], name="calls_a_text_once"),
        ]

    def __str__(self) -> str:
        return f"{self.template_id} v{self.version}"


class Text(models.Model):
    """A long text, once: what was sent, what was answered, what was judged.

    `data` is zlib-compressed UTF-8; it may be dropped by policy while the hash stays.
    """

    sha256 = models.CharField(max_length=64, primary_key=True)
    characters = models.PositiveIntegerField()
    data = models.BinaryField(null=True)
    # The one project whose calls lean on it; null: none or several, and it is kept for ever.
    project_id = models.BigIntegerField(null=True)
    # Of the newest call that leans on it, to the day.
    used_at = models.DateTimeField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            # For the retention policy, which asks for what is there and was not used for long.
            models.Index(
                fields=["project_id", "used_at"],
                name="calls_text_by_use",
                condition=Q(data__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return self.sha256


class Call(models.Model):
    """One request with its answer, failed attempts included. Append-only; partitioned by month.

    Template version, slots, nonce and body rebuild the request byte for byte; `request_sha256`
    proves it. References to texts are hashes, not foreign keys: a payload may be dropped.
    """

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField()
    project_id = models.BigIntegerField(null=True)
    job_id = models.BigIntegerField(null=True)
    endpoint_id = models.BigIntegerField()
    role = models.CharField(max_length=11)
    template_version_id = models.BigIntegerField()
    # slot name -> sha256 of its text (short values stay here as they are under "=name")
    slots = models.JSONField()
    nonce = models.CharField(max_length=32, blank=True)
    # Everything of the request but its messages (model, sampling, output format), to the byte.
    body_sha256 = models.CharField(max_length=64)
    request_sha256 = models.CharField(max_length=64)
    attempt = models.PositiveSmallIntegerField(default=1)
    answer_sha256 = models.CharField(max_length=64, blank=True)
    reasoning_sha256 = models.CharField(max_length=64, blank=True)
    refusal = models.TextField(blank=True)
    parsed = models.JSONField(null=True)
    finish_reason = models.CharField(max_length=20, blank=True)
    served_model = models.CharField(max_length=200, blank=True)
    http_status = models.PositiveSmallIntegerField(null=True)
    error_cause = models.CharField(max_length=30, blank=True)
    error = models.TextField(blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True)
    completion_tokens = models.PositiveIntegerField(null=True)
    cached_tokens = models.PositiveIntegerField(null=True)
    reasoning_tokens = models.PositiveIntegerField(null=True)
    latency_ms = models.PositiveIntegerField(null=True)

    class Meta:
        indexes = [
            # The primary key is (at, id): verdicts and specs know the id alone.
            models.Index(fields=["id"], name="calls_call_by_id"),
            models.Index(fields=["job_id"], name="calls_call_by_job"),
            models.Index(fields=["project_id", "at"], name="calls_call_by_project"),
            models.Index(fields=["request_sha256"], name="calls_call_by_request"),
        ]

    def __str__(self) -> str:
        return f"call {self.pk}"
