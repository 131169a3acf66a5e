"""What waits for one person: decisions, reviews, their own drafts and their jobs that failed.

Each kind is one query, over the few rows that an index picks out, whatever the number of projects
and things in them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import CharField, Count, Exists, F, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Cast, Coalesce
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import access
from apps.accounts.models import Membership, Project, Role, User
from apps.activity.models import AuditEvent, Draft, Job
from apps.judging.models import JudgeRun
from apps.specs.models import Spec
from apps.studio import links, words

# Of one kind in one project: more stand in one row together.
ONE_BY_ONE = 3
# Read at most of each kind, over all projects.
READ = 500
OF_PROMPT = "prompt_revision__current_of"
FAILURES_LAST = timedelta(days=14)
APPROVERS = frozenset({Role.REVIEWER, Role.ADMIN})


@dataclass(frozen=True)
class Waiting:
    """One thing that a person can do next: `act` is the verb on its button."""

    kind: str
    title: str
    project: Project
    since: datetime
    address: str
    act: str


def waiting_for(user: User, *, project: Project | None = None) -> list[Waiting]:
    """What waits for the person, oldest first; in one project if one is given."""
    held = _roles(user, project)
    found = [
        *_decisions(_with(held, access.AUTHORS)),
        *_reviews(user, _with(held, APPROVERS)),
        *_drafts(user, held),
        *_failures(user, held),
    ]
    return sorted(found, key=lambda one: one.since)


def _roles(user: User, project: Project | None) -> dict[int, set[str]]:
    """The projects where something may wait for the person, each with their roles there."""
    if user.is_superuser:
        open_projects = Project.objects.filter(archived_at__isnull=True)
        if project is not None:
            open_projects = open_projects.filter(pk=project.pk)
        return {pk: {Role.ADMIN} for pk in open_projects.values_list("pk", flat=True)}
    memberships = Membership.objects.filter(user=user, project__archived_at__isnull=True)
    if project is not None:
        memberships = memberships.filter(project=project)
    held: dict[int, set[str]] = defaultdict(set)
    for pk, role in memberships.values_list("project_id", "role"):
        held[pk].add(role)
    return held


def _with(held: dict[int, set[str]], roles: Iterable[str]) -> list[int]:
    wanted = set(roles)
    return [pk for pk, own in held.items() if own & wanted]


def _decisions(projects: list[int]) -> list[Waiting]:
    """Runs that stand still until somebody says how to go on."""
    paused = JudgeRun.objects.filter(project__in=projects, state=JudgeRun.State.PAUSED)
    runs = _since(paused, "judging.judgerun", "run.paused").select_related("project")
    return [
        Waiting(
            kind=_("Decision"),
            title=_("Run %(number)d is paused: %(reason)s")
            % {"number": run.number, "reason": run.block_reason or _("nobody said why")},
            project=run.project,
            since=run.since,
            address=links.run(run.project.slug, run.number),
            act=_("Decide"),
        )
        for run in runs.defer("judge")[:READ]
    ]


def _reviews(user: User, projects: list[int]) -> list[Waiting]:
    """Specs that the person may approve, one by one or, where they are many, in one row."""
    specs = _reviewable(user, projects)
    counted = specs.order_by().values_list(f"{OF_PROMPT}__project")
    counts = {pk: (many, first) for pk, many, first in counted.annotate(Count("pk"), Min("pk"))}
    few = [pk for pk, (many, _first) in counts.items() if many <= ONE_BY_ONE]
    firsts = [first for many, first in counts.values() if many > ONE_BY_ONE]
    wanted = specs.filter(Q(**{f"{OF_PROMPT}__project__in": few}) | Q(pk__in=firsts))
    rows = _since(wanted, "specs.spec", "spec.review_requested")
    rows = rows.select_related(f"{OF_PROMPT}__project").only(
        "version",
        f"{OF_PROMPT}__number",
        *(f"{OF_PROMPT}__project__{name}" for name in ("slug", "name")),
    )
    return [
        _reviews_of(spec, many)
        if (many := counts[spec.prompt_revision.current_of.project_id][0]) > ONE_BY_ONE
        else _review(spec)
        for spec in rows[:READ]
    ]


def _reviewable(user: User, projects: list[int]) -> QuerySet[Spec]:
    """In review, the newest of their prompt, and not the person's own where a second is needed."""
    newer = Spec.objects.filter(
        prompt_revision=OuterRef("prompt_revision"), version__gt=OuterRef("version")
    )
    alone = Q(**{f"{OF_PROMPT}__project__settings__approval_needs_second_person": False})
    return Spec.objects.filter(
        Q(author__isnull=True) | ~Q(author=user) | alone,
        ~Exists(newer),
        state=Spec.State.IN_REVIEW,
        **{f"{OF_PROMPT}__project__in": projects},
    )


def _reviews_of(oldest: Spec, many: int) -> Waiting:
    project = oldest.prompt_revision.current_of.project
    return Waiting(
        kind=_("Review"),
        title=_("%(count)s specs wait for a second person") % {"count": words.thousands(many)},
        project=project,
        since=oldest.since,  # type: ignore[attr-defined]  # annotated
        address=f"{reverse('specs:list', args=[project.slug])}?state=in_review",
        act=_("Review"),
    )


def _review(spec: Spec) -> Waiting:
    number = spec.prompt_revision.current_of.number
    project = spec.prompt_revision.current_of.project
    return Waiting(
        kind=_("Review"),
        title=_("Spec %(prompt)d v%(version)d waits for a second person")
        % {"prompt": number, "version": spec.version},
        project=project,
        since=spec.since,  # type: ignore[attr-defined]  # annotated
        address=links.spec(project.slug, number, spec.version),
        act=_("Review"),
    )


def _drafts(user: User, held: dict[int, set[str]]) -> list[Waiting]:
    drafts = Draft.objects.filter(user=user, project__in=held).select_related("project")
    return [
        Waiting(
            kind=_("Draft"),
            title=_("You began to change %(form)s") % {"form": words.form_of_draft(draft.key)},
            project=draft.project,
            since=draft.saved_at,
            address=links.form_of_draft(draft.project.slug, draft.key),
            act=_("Go on"),
        )
        for draft in drafts.defer("body").order_by("saved_at")[:READ]
    ]


def _failures(user: User, held: dict[int, set[str]]) -> list[Waiting]:
    """Jobs the person asked for that failed of late, unless the same was asked for again."""
    later = Job.objects.filter(
        project=OuterRef("project"), kind=OuterRef("kind"), pk__gt=OuterRef("pk")
    )
    jobs = Job.objects.filter(
        ~Exists(later),
        requested_by=user,
        project__in=held,
        state=Job.State.FAILED,
        finished_at__gte=timezone.now() - FAILURES_LAST,
    )
    return [
        Waiting(
            kind=_("Failed"),
            title=f"{words.job_kind(job.kind)}: {job.error or words.cause(job.error_cause)}",
            project=job.project,
            since=job.finished_at or job.created_at,
            address=reverse("studio:jobs"),
            act=_("See why"),
        )
        for job in jobs.select_related("project")[:READ]
        if job.project is not None
    ]


def _since(rows: QuerySet[Any], target: str, verb: str) -> QuerySet[Any]:
    """With when the trail says that they came to wait; when they were made, if it does not."""
    events = AuditEvent.objects.filter(
        target_type=target, target_id=Cast(OuterRef("pk"), CharField()), verb=verb
    )
    newest = Subquery(events.order_by("-pk").values("at")[:1])
    dated: QuerySet[Any] = rows.annotate(since=Coalesce(newest, F("created_at")))
    return dated
