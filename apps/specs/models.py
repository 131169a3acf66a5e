"""What success means for one prompt: a rubric and checkers, saved version by version."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from rubricstudio.core import types as core
from rubricstudio.core.checkers.generated import Record


class Spec(models.Model):
    """One saved version of a prompt's spec.

    Its contents never change, by trigger: an edit saves the next version. Only the state moves:
    draft -> in review -> candidate -> frozen. `spec_id` is the sha256 of its canonical line
    (rubricstudio.core.bundle), which names the version, so no two versions share one.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("Draft")
        IN_REVIEW = "in_review", _("In review")
        CANDIDATE = "candidate", _("Candidate")
        FROZEN = "frozen", _("Frozen")

    prompt_revision = models.ForeignKey(
        "prompts.PromptRevision", on_delete=models.PROTECT, related_name="specs"
    )
    version = models.PositiveIntegerField()
    state = models.CharField(max_length=9, choices=State, default=State.DRAFT)
    spec_id = models.CharField(max_length=64, db_index=True)
    # The canonical line itself: what the hash is of, and what a bundle writes.
    line = models.TextField()
    label = models.CharField(max_length=60, blank=True)
    dialect = models.CharField(max_length=20, default="studio/1")
    method = models.CharField(max_length=40)
    # Where each part came from: call ids, template versions, meta-rubric versions, settings.
    provenance = models.JSONField(default=dict)
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="+")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    reason = models.TextField(blank=True)
    # The job that made it; null for a version that a person saved.
    job = models.ForeignKey("activity.Job", on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    approved_at = models.DateTimeField(null=True)
    frozen_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            # The overview counts the newest by state: the index answers, and no row is read.
            models.UniqueConstraint(
                fields=["prompt_revision", "version"],
                include=["state"],
                name="specs_one_version_per_revision",
            ),
            # Half-frozen and half-approved specs must not exist, whoever writes them.
            models.CheckConstraint(
                condition=Q(state="frozen") ^ Q(frozen_at__isnull=True),
                name="specs_frozen_has_a_date",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["candidate", "frozen"]) ^ Q(approved_at__isnull=True),
                name="specs_approved_has_a_date",
            ),
            models.CheckConstraint(
                condition=Q(approved_at__isnull=True, approved_by__isnull=True)
                | Q(approved_at__isnull=False, approved_by__isnull=False),
                name="specs_approved_names_who",
            ),
        ]
        # Home, the navigation and the queue of reviews ask for these few among all.
        indexes = [
            models.Index(
                fields=["prompt_revision"],
                name="specs_in_review",
                condition=Q(state="in_review"),
            )
        ]

    def __str__(self) -> str:
        return f"spec v{self.version} of {self.prompt_revision_id}"

    def as_value(self) -> core.SpecValue:
        """The spec without a database: what its line says, so what a bundle holds.

        Constraints that no checker answers are not among it; they stay with the rows.
        """
        revision = self.prompt_revision
        usable = [one for one in self.constraints.all() if not one.refused]
        return core.SpecValue(
            prompt_id=revision.prompt.key,
            prompt=tuple(core.Message.from_dict(one) for one in revision.messages),
            criteria=tuple(one.as_value() for one in self.criteria.all()),
            constraints=tuple(one.as_value() for one in usable),
            label=self.label,
            dialect=self.dialect,
            method=self.method,
            version=self.version,
        )


class Criterion(models.Model):
    """One independently judgeable requirement. Append-only; `key` is stable across versions."""

    class Polarity(models.TextChoices):
        POSITIVE = "positive", _("Positive")
        NEGATIVE = "negative", _("Negative")

    spec = models.ForeignKey(Spec, on_delete=models.PROTECT, related_name="criteria")
    position = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=80)
    text = models.TextField()
    weight = models.FloatField()
    polarity = models.CharField(max_length=8, choices=Polarity, default=Polarity.POSITIVE)
    # ternary | binary | levels | points | pairwise | global, as in rubricstudio.core.types.Scale
    scale = models.CharField(max_length=10, default="ternary")
    levels = models.PositiveSmallIntegerField(null=True)
    lo = models.FloatField(default=0.0)
    hi = models.FloatField(default=1.0)
    bucket = models.CharField(max_length=40, blank=True)
    essential = models.BooleanField(null=True)
    tier = models.CharField(max_length=20, blank=True)
    scope = models.CharField(max_length=20, default="final")
    # judge | checker | global | column | reward_model: who gives its number
    source = models.CharField(max_length=12, default="judge")
    # What yes, part and no mean for it; and what has no column of its own: source_name, tags.
    anchors = models.JSONField(default=dict)
    extra = models.JSONField(default=dict)
    rationale = models.TextField(blank=True)
    content_sha256 = models.CharField(max_length=64, db_index=True)

    class Meta:
        verbose_name_plural = _("criteria")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["spec", "key"], name="specs_criterion_key"),
            models.UniqueConstraint(fields=["spec", "position"], name="specs_criterion_order"),
            # PostgreSQL sorts NaN above everything, so this also keeps NaN and infinity out.
            models.CheckConstraint(
                condition=Q(weight__gt=0, weight__lt=1e9), name="specs_weight_is_positive"
            ),
            models.CheckConstraint(condition=Q(hi__gt=models.F("lo")), name="specs_scale_order"),
        ]

    def __str__(self) -> str:
        return self.key

    def as_value(self) -> core.Criterion:
        """The criterion as judges and aggregators take it."""
        return core.Criterion(
            key=self.key,
            text=self.text,
            weight=self.weight,
            polarity=core.Polarity(self.polarity),
            scale=core.Scale(self.scale),
            levels=self.levels,
            lo=self.lo,
            hi=self.hi,
            bucket=self.bucket,
            essential=self.essential,
            tier=self.tier,
            scope=core.Scope.parse(self.scope),
            source=core.Source(self.source),
            source_name=self.extra.get("source_name", ""),
            anchors=self.anchors,
            rationale=self.rationale,
            tags=tuple(self.extra.get("tags", ())),
        )


class Constraint(models.Model):
    """An explicit, surface-checkable requirement, as data. Append-only."""

    class Origin(models.TextChoices):
        GIVEN = "given", _("Published with the prompt")
        RULES = "rules", _("Extracted by rules")
        MODEL = "model", _("Extracted by a model")
        PERSON = "person", _("Entered by a person")

    spec = models.ForeignKey(Spec, on_delete=models.PROTECT, related_name="constraints")
    position = models.PositiveSmallIntegerField()
    type = models.CharField(max_length=80)
    params = models.JSONField(default=dict)
    options = models.JSONField(default=dict)
    dialect = models.CharField(max_length=20, default="studio/1")
    evidence = models.TextField(blank=True)
    origin = models.CharField(max_length=6, choices=Origin)
    # Why no checker answers it (an unknown type, a dialect that is not there yet); empty otherwise.
    refused = models.TextField(blank=True)
    content_sha256 = models.CharField(max_length=64, db_index=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["spec", "position"], name="specs_constraint_order")
        ]

    def __str__(self) -> str:
        return self.type

    def as_value(self) -> core.Constraint:
        """The constraint as the registry of checkers takes it."""
        return core.Constraint(
            type=self.type,
            params=self.params,
            options=self.options,
            evidence=self.evidence,
            dialect=self.dialect,
        )


class Checker(models.Model):
    """What answers a constraint: native (data) or generated (code in a jail). Append-only."""

    class Origin(models.TextChoices):
        NATIVE = "native", _("Native")
        GENERATED = "generated", _("Generated")

    constraint = models.OneToOneField(Constraint, on_delete=models.PROTECT, related_name="checker")
    origin = models.CharField(max_length=9, choices=Origin, default=Origin.NATIVE)
    # Equal checkers share outcomes on equal responses: hash of type, params, options, dialect,
    # or of the code.
    content_sha256 = models.CharField(max_length=64, db_index=True)
    code = models.TextField(blank=True)
    # The log of validating the code (rubricstudio.sandbox.validation), and of its earlier tries.
    validation = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(origin="native", code="") | (Q(origin="generated") & ~Q(code="")),
                name="specs_generated_checker_has_code",
            )
        ]

    def __str__(self) -> str:
        return f"{self.origin} checker {self.pk}"


class CheckerRecord(models.Model):
    """How the generated checkers with one code have done in a project, over all check runs.

    Run-time state: it keeps a checker that breaks from counting until somebody has looked at it,
    and never touches what was frozen.
    """

    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, related_name="checker_records"
    )
    code_sha256 = models.CharField(max_length=64)
    passed = models.PositiveBigIntegerField(default=0)
    failed = models.PositiveBigIntegerField(default=0)
    errors = models.PositiveBigIntegerField(default=0)
    # Of the errors, those that cost a process: timeouts, memory, crashes, forged answers.
    hard = models.PositiveBigIntegerField(default=0)
    quarantined_at = models.DateTimeField(null=True)
    # Why; empty while it may count.
    quarantine = models.CharField(max_length=200, blank=True)
    released_at = models.DateTimeField(null=True)
    released_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "code_sha256"], name="specs_one_record_a_code"
            ),
            models.CheckConstraint(
                condition=Q(quarantine="") ^ Q(quarantined_at__isnull=False),
                name="specs_quarantine_has_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"record of {self.code_sha256[:12]}"

    def as_value(self) -> Record:
        """The counts, which know what they mean."""
        return Record(self.passed, self.failed, self.errors, self.hard)


class SpecFailure(models.Model):
    """A prompt for which a job made no usable spec, and why. Append-only."""

    job = models.ForeignKey("activity.Job", on_delete=models.PROTECT, related_name="+")
    prompt_revision = models.ForeignKey(
        "prompts.PromptRevision", on_delete=models.PROTECT, related_name="spec_failures"
    )
    # A failure cause or unscored reason of the model, or: nothing_given, no_checker, unreadable,
    # overtaken.
    cause = models.CharField(max_length=30)
    reason = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["job", "prompt_revision"], name="specs_one_failure_a_job"
            )
        ]

    def __str__(self) -> str:
        return f"{self.cause}: {self.reason}"
