"""Reads of specs: which prompts need one, what a job made, what went stale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from apps.accounts.models import Project
from apps.activity.models import Job
from apps.prompts.models import PromptRevision
from apps.specs.models import Checker, Constraint, Criterion, Spec, SpecFailure


@dataclass(frozen=True, slots=True)
class MadeCounts:
    """What a job made: usable specs with their parts, refused constraints too, and failures."""

    specs: int
    criteria: int
    constraints: int
    checkers: int
    failed: int

    @property
    def handled(self) -> int:
        return self.specs + self.failed

    def as_dict(self) -> dict[str, int]:
        return asdict(self)


def newest_specs(project: Project) -> QuerySet[Spec]:
    """The newest version for the current revision of each prompt, by prompt number."""
    # Asked as "no newer one exists", which the planner can count; of "is the newest one" it expects
    # one row in all, and plans accordingly.
    newer = Spec.objects.filter(
        prompt_revision=OuterRef("prompt_revision"), version__gt=OuterRef("version")
    )
    return (
        Spec.objects.filter(
            ~Exists(newer),
            prompt_revision__current_of__project=project,
            prompt_revision__current_of__archived_at__isnull=True,
        )
        .select_related("prompt_revision__prompt")
        .order_by("prompt_revision__prompt__number")
    )


def usable(specs: QuerySet[Spec]) -> QuerySet[Spec]:
    """Those that can score: with criteria, checkers or both."""
    return specs.filter(_HAS_PARTS)


_HAS_PARTS = Exists(Criterion.objects.filter(spec=OuterRef("pk"))) | Exists(
    Checker.objects.filter(constraint__spec=OuterRef("pk"))
)


def prompts_to_specify(
    project: Project, *, remake: bool = False, job: Job | None = None
) -> QuerySet[PromptRevision]:
    """The current revisions without a usable spec, by prompt number; all of them to `remake`.

    What the job has dealt with already is left out.
    """
    current = PromptRevision.objects.filter(
        current_of__project=project, current_of__archived_at__isnull=True
    )
    if job is not None:
        of_job = {"job": job, "prompt_revision": OuterRef("pk")}
        current = current.exclude(
            Exists(Spec.objects.filter(**of_job)) | Exists(SpecFailure.objects.filter(**of_job))
        )
    if not remake:
        specs = Spec.objects.filter(prompt_revision=OuterRef("pk")).order_by("-version")
        newest = usable(Spec.objects.filter(pk=OuterRef("newest_spec")))
        current = current.annotate(newest_spec=Subquery(specs.values("pk")[:1]))
        current = current.exclude(Exists(newest))
    return current.order_by("current_of__number")


def newest_by_revision(revisions: Iterable[int]) -> dict[int, Spec]:
    """The newest spec of each revision that has one."""
    specs = Spec.objects.filter(prompt_revision__in=list(revisions)).order_by("version")
    return {one.prompt_revision_id: one for one in specs}


def made_by(job: Job) -> MadeCounts:
    specs = Spec.objects.filter(job=job)
    constraints = Constraint.objects.filter(spec__job=job)
    return MadeCounts(
        specs=usable(specs).count(),
        criteria=Criterion.objects.filter(spec__job=job).count(),
        constraints=constraints.count(),
        checkers=constraints.filter(checker__isnull=False).count(),
        failed=failures_of(job).count(),
    )


def failures_of(job: Job) -> QuerySet[SpecFailure]:
    """The prompts for which a job made no usable spec, by prompt number."""
    return (
        SpecFailure.objects.filter(job=job)
        .select_related("prompt_revision__prompt")
        .order_by("prompt_revision__prompt__number")
    )


def refused_types(job: Job) -> Counter[str]:
    """The constraint types that no checker answers, with how many of them the job kept."""
    rows = Constraint.objects.filter(spec__job=job).exclude(refused="").order_by()
    counted = rows.values("type").annotate(count=Count("pk")).values_list("type", "count")
    return Counter(dict(counted))


def stale_criteria(project: Project) -> QuerySet[Criterion]:
    """Criteria of earlier versions whose verdicts no longer speak for the newest one.

    A verdict is stale when the newest spec of its prompt has no criterion with the same key and
    the same content.
    """
    newest = Spec.objects.filter(
        prompt_revision=OuterRef(OuterRef("spec__prompt_revision"))
    ).order_by("-version")
    now = Criterion.objects.filter(
        spec=Subquery(newest.values("pk")[:1]),
        key=OuterRef("key"),
        content_sha256=OuterRef("content_sha256"),
    )
    return Criterion.objects.filter(spec__prompt_revision__prompt__project=project).exclude(
        Exists(now)
    )


def listed_specs(project: Project, *, state: str = "") -> QuerySet[Spec]:
    """The newest specs with the counts that a list shows, without their lines."""
    specs = with_counts(newest_specs(project)).defer("line", "provenance")
    return specs.filter(state=state) if state else specs


def find_spec(project: Project, *, prompt: int, version: int | None = None) -> Spec | None:
    """A version of the spec of a prompt, known by its number; the newest by default."""
    specs = Spec.objects.filter(
        prompt_revision__current_of__project=project, prompt_revision__current_of__number=prompt
    ).select_related("prompt_revision__prompt")
    if version is not None:
        specs = specs.filter(version=version)
    found = with_counts(specs).prefetch_related("criteria", "constraints").order_by("-version")
    return found.first()


def with_counts(specs: QuerySet[Spec]) -> QuerySet[Spec]:
    """With how many criteria, checkers and refused constraints each has."""
    return specs.annotate(
        criteria_count=_count(Criterion.objects.filter(spec=OuterRef("pk")), "spec"),
        checkers_count=_count(
            Checker.objects.filter(constraint__spec=OuterRef("pk")), "constraint__spec"
        ),
        refused_count=_count(
            Constraint.objects.filter(~Q(refused=""), spec=OuterRef("pk")), "spec"
        ),
    )


def _count(rows: QuerySet[Any], group: str) -> Any:
    counted = rows.order_by().values(group).annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counted), 0)
