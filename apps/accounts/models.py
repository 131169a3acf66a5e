"""Who works here, on what, and by which right: users, projects, memberships, tokens and links."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    """What a member may do in one project; a person may hold several."""

    AUTHOR = "author", _("Author")
    REVIEWER = "reviewer", _("Reviewer")
    ANNOTATOR = "annotator", _("Annotator")
    TRAINER = "trainer", _("Trainer")
    AUDITOR = "auditor", _("Auditor")
    ADMIN = "admin", _("Administrator")


class Scope(models.TextChoices):
    """What an API token may do."""

    PROMPTS_READ = "prompts:read", _("Read prompts")
    PROMPTS_WRITE = "prompts:write", _("Import prompts")
    ROLLOUTS_READ = "rollouts:read", _("Read rollouts")
    ROLLOUTS_WRITE = "rollouts:write", _("Import rollouts")
    SPECS_READ = "specs:read", _("Read specs")
    RUNS_READ = "runs:read", _("Read runs and verdicts")
    RUNS_WRITE = "runs:write", _("Start runs")
    REWARDS_READ = "rewards:read", _("Read rewards")
    BUNDLES_READ = "bundles:read", _("Read bundles")
    SCORE = "score", _("Score rollouts")
    ECHO_WRITE = "echo:write", _("Report training steps")


class User(AbstractUser):
    """A person. `is_superuser` administers the installation; all else is by membership."""

    display_name = models.CharField(max_length=150, blank=True)
    language = models.CharField(max_length=10, blank=True)
    # Part of what a session is checked against: counting it up signs the person out everywhere.
    sessions_ended = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return self.display_name or self.username

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        by_password: str = super()._get_session_auth_hash(secret=secret)  # type: ignore[misc]
        return f"{by_password}.{self.sessions_ended}" if self.sessions_ended else by_password


class KeptProjects(models.Manager["Project"]):
    """The projects that were not deleted: what is left of those is for the trail alone."""

    def get_queryset(self) -> models.QuerySet[Project]:
        return super().get_queryset().filter(deleted_at__isnull=True)


class Project(models.Model):
    """What people share and what everything belongs to."""

    slug = models.SlugField(
        max_length=60,
        unique=True,
        validators=[
            RegexValidator(
                r"^[a-z0-9][a-z0-9-]*$",
                _("Use small letters, digits and hyphens, beginning with a letter or digit."),
            )
        ],
    )
    name = models.CharField(max_length=150)
    description = models.TextField(blank=True)
    # What people who vote and judge by hand should know.
    guidelines = models.TextField(blank=True)
    # Structured: read and written through apps.accounts.project_settings only.
    settings = models.JSONField(default=dict)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    # Read-only from then on, by trigger (apps.accounts.read_only); hidden from lists.
    archived_at = models.DateTimeField(null=True, blank=True)
    # What was in it is gone; the row stays, since the audit trail refers to it.
    deleted_at = models.DateTimeField(null=True, blank=True)

    objects = KeptProjects()
    with_deleted = models.Manager()  # noqa: DJ012 - a manager as well, and not the first one

    class Meta:
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name


class ProjectCounter(models.Model):
    """The last number given out in a project for one kind of thing (prompt, run …)."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="counters")
    kind = models.CharField(max_length=20)
    last = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "kind"], name="accounts_one_counter_a_kind")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.last}"


class Membership(models.Model):
    """One role of one person in one project."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "user", "role"], name="accounts_role_once_per_member"
            ),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="accounts_known_role"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role} in {self.project_id}"


class ApiToken(models.Model):
    """A bearer token of one project. Only its hash is stored."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="tokens")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=12)
    token_sha256 = models.CharField(max_length=64, unique=True)
    scopes = ArrayField(models.CharField(max_length=20, choices=Scope))
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(scopes__len__gt=0), name="accounts_token_has_a_scope"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class SignInLink(models.Model):
    """A link that signs one person in, once, until it expires. Only its hash is stored."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="sign_in_links")
    token_sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"sign-in link of {self.user_id}"


class FailedSignIns(models.Model):
    """How often signing in has failed by one name or from one address; the hash says which."""

    key_sha256 = models.CharField(max_length=64, primary_key=True)
    failures = models.PositiveIntegerField()
    until = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.failures} failed sign-ins"


class Invitation(models.Model):
    """A link by which someone joins a project with the roles it names; passed on by hand."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="invitations")
    roles = ArrayField(models.CharField(max_length=10, choices=Role))
    note = models.CharField(max_length=200, blank=True)
    token_sha256 = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(roles__len__gt=0), name="accounts_invitation_has_a_role"
            ),
            models.CheckConstraint(
                condition=Q(accepted_by__isnull=True, accepted_at__isnull=True)
                | Q(accepted_by__isnull=False, accepted_at__isnull=False),
                name="accounts_accepted_invitation_names_who",
            ),
        ]

    def __str__(self) -> str:
        return f"invitation to {self.project_id}"
