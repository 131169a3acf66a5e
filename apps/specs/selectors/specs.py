"""Reads of specs: which prompts need one, what a job made, what went stale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, JSONObject

from apps.accounts.models import Project, ProjectCounter
from apps.activity.models import Job
from apps.prompts.models import PromptRevision
from apps.prompts.selectors import search as search_prompts
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


ANSWERS = {
    "native": Q(checker__origin=Checker.Origin.NATIVE),
    "generated": Q(checker__origin=Checker.Origin.GENERATED),
    "refused": Q(checker__isnull=True),
}
"""What answers a constraint, by the word for it; each constraint is one of them."""

LISTED = (
    *("version", "state", "spec_id", "label", "method", "dialect", "created_at"),
    *("prompt_revision__revision", "prompt_revision__prompt__number"),
    *("prompt_revision__prompt__key",),
)


def listed_specs(project: Project, *, state: str = "") -> QuerySet[Spec]:
    """The newest specs with the counts that a list shows, without lines and prompts."""
    specs = with_counts(newest_specs(project)).only(*LISTED)
    return specs.filter(state=state) if state else specs


BY_PROMPT = "prompt_revision__current_of__number"
ON_PAGE = (
    *("version", "state", "label", "method", "created_at", BY_PROMPT),
    *("author__username", "author__display_name", "prompt_revision__excerpt"),
)


def specs_by_prompt(project: Project) -> QuerySet[Spec]:
    """The newest specs as their page lists them; the prompt is `prompt_revision.current_of`.

    That is the way on which one index gives project and order (BY_PROMPT): by the revision's own
    prompt the same page takes a hundred times as long. `writer` is the model that wrote the
    rubric, if one did.
    """
    specs = with_counts(newest_specs(project)).annotate(writer=_WRITER)
    related = specs.select_related(None).select_related("author", "prompt_revision__current_of")
    return related.only(*ON_PAGE)


_WRITER = KT("provenance__asked__rubric__configuration__model")


def search(specs: QuerySet[Spec], words: str) -> QuerySet[Spec]:
    """Those whose prompt has this number, or each of the words in its key or excerpt."""
    return search_prompts(
        specs, words, of="prompt_revision__current_of__", text="prompt_revision__"
    )


def with_refused(specs: QuerySet[Spec]) -> QuerySet[Spec]:
    """Those with constraints that no checker answers."""
    refused = Constraint.objects.filter(spec=OuterRef("pk")).exclude(refused="")
    return specs.filter(Exists(refused))


def with_constraint(specs: QuerySet[Spec], name: str) -> QuerySet[Spec]:
    """Those with a constraint of this type; `type native` (generated, refused) says its answer."""
    kind, _space, answer = name.rpartition(" ")
    asked = Constraint.objects.filter(spec=OuterRef("pk"))
    if kind and answer in ANSWERS:
        return specs.filter(Exists(asked.filter(ANSWERS[answer], type=kind)))
    return specs.filter(Exists(asked.filter(type=name)))


def without_rubric(specs: QuerySet[Spec]) -> QuerySet[Spec]:
    return specs.exclude(Exists(Criterion.objects.filter(spec=OuterRef("pk"))))


UNAPPROVED = "unapproved"


def in_state(specs: QuerySet[Spec], state: str) -> QuerySet[Spec]:
    """Those in the state; UNAPPROVED keeps drafts and those in review."""
    if state == UNAPPROVED:
        return specs.filter(state__in=[Spec.State.DRAFT, Spec.State.IN_REVIEW])
    return specs.filter(state=state)


def unusable(specs: QuerySet[Spec]) -> QuerySet[Spec]:
    """Those that cannot score: without criteria and without checkers."""
    return specs.exclude(_HAS_PARTS)


class ListFrame(NamedTuple):
    """What stands around the list of specs.

    `specs` counts the prompts that have one; `job` holds the newest job that makes some, as far as
    a line about it needs, None where there is none.
    """

    prompts: int
    specs: int
    job: dict[str, Any] | None

    @property
    def bare(self) -> int:
        """How many prompts have no spec."""
        return max(0, self.prompts - self.specs)


def list_frame(project: Project, *, kind: str) -> ListFrame:
    """In one query; `kind` is that of the jobs that make specs."""
    last = ProjectCounter.objects.filter(project=OuterRef("pk"))
    jobs = Job.objects.filter(project=OuterRef("pk"), kind=kind).order_by("-pk")
    job = {name: name for name in ("pk", "state", "done", "total", "result", "error")}
    row = Project.objects.filter(pk=project.pk).values_list(
        Coalesce(Subquery(last.filter(kind="prompt").values("last")), 0),
        Coalesce(Subquery(last.filter(kind="spec").values("last")), 0),
        Subquery(jobs.values(one=JSONObject(**job))[:1]),
    )
    return ListFrame(*row.get())


def find_making(project: Project, pk: int, *, kind: str) -> Job | None:
    """A job that makes specs."""
    jobs = Job.objects.filter(project=project, kind=kind, pk=pk)
    return jobs.select_related("requested_by").first()


def failure_causes(job: Job) -> list[tuple[str, int]]:
    """Why prompts have no usable spec after a job, and how many each; the most frequent first."""
    causes = SpecFailure.objects.filter(job=job).order_by().values_list("cause")
    return list(causes.annotate(count=Count("pk")).order_by("-count", "cause"))


def find_spec(project: Project, *, prompt: int, version: int | None = None) -> Spec | None:
    """A version of the spec of a prompt, known by its number; the newest by default."""
    specs = Spec.objects.filter(
        prompt_revision__current_of__project=project, prompt_revision__current_of__number=prompt
    ).select_related("prompt_revision__prompt", "author", "approved_by")
    if version is not None:
        specs = specs.filter(version=version)
    found = with_counts(specs).prefetch_related("criteria", "constraints").order_by("-version")
    return found.first()


def list_versions(spec: Spec) -> QuerySet[Spec]:
    """All versions of the spec of one prompt revision, newest first, without their lines."""
    versions = Spec.objects.filter(prompt_revision_id=spec.prompt_revision_id)
    return (
        versions.select_related("author", "approved_by")
        .only(
            *("version", "state", "method", "label", "reason", "created_at", "approved_at"),
            *("author__username", "author__display_name", "job_id", "prompt_revision_id"),
            *("approved_by__username", "approved_by__display_name"),
        )
        .order_by("-version")
    )


def states_of(project: Project, numbers: Iterable[int]) -> list[tuple[int, Spec]]:
    """The newest spec of each of these prompts that has one, by number."""
    specs = newest_specs(project).filter(prompt_revision__current_of__number__in=list(numbers))
    listed = specs.select_related(None).order_by().annotate(number=F(BY_PROMPT))
    return [(one.number, one) for one in listed.only("version", "state")]


class Chosen(NamedTuple):
    """What of some chosen specs can be approved: drafts, those under review, and the others."""

    drafts: int
    in_review: int
    others: int

    @property
    def ready(self) -> int:
        return self.drafts + self.in_review


def count_chosen(project: Project, pks: Collection[int]) -> Chosen:
    newest = usable(newest_specs(project)).filter(pk__in=pks).order_by()
    states = Counter(newest.values_list("state", flat=True))
    drafts, in_review = states[Spec.State.DRAFT], states[Spec.State.IN_REVIEW]
    return Chosen(drafts, in_review, len(pks) - drafts - in_review)


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
