"""Reads of verdicts: those that count for a run, a list without payloads, one with its calls."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from apps.accounts.models import Project
from apps.activity.errors import BadInput
from apps.calls.models import Call
from apps.judging.models import CellState, JudgeRun, Verdict
from apps.judging.selectors.cells import chain_of
from apps.specs.models import Criterion, Spec
from apps.specs.selectors import stale_criteria

# Attempts of one question are stored together, so their numbers lie close to each other.
NEARBY = 2_000


def verdicts_of(run: JudgeRun) -> QuerySet[Verdict]:
    """The verdicts that count for a run, one a cell, by rollout: a child's before its parents'."""
    cell = ("rollout_id", "criterion_id", "sample")
    chain = chain_of(run)
    found = Verdict.objects.filter(run_id__in=chain)
    if len(chain) == 1:
        return found.order_by(*cell)
    return found.order_by(*cell, "-run_id").distinct(*cell)


def list_verdicts(run: JudgeRun, *, state: str = "") -> QuerySet[Verdict]:
    """The rows of a run for a list: no evidence, no messages. Raises BadInput for the state."""
    if state and state not in CellState.values:
        raise BadInput(
            _("state is %(state)r: use one of %(known)s.")
            % {"state": state, "known": ", ".join(CellState.values)}
        )
    listed = _as_listed(Verdict.objects.filter(run=run))
    return listed.filter(state=state) if state else listed


def stale_verdicts(project: Project) -> QuerySet[Verdict]:
    """The verdicts of a project whose criterion has another text by now, or is gone."""
    return _as_listed(Verdict.objects.filter(criterion__in=stale_criteria(project)))


def _as_listed(verdicts: QuerySet[Verdict]) -> QuerySet[Verdict]:
    return verdicts.select_related("run", "rollout", "criterion").only(
        "run__number",
        "run__samples",
        "rollout__number",
        "criterion__key",
        "criterion__polarity",
        "criterion__lo",
        "criterion__hi",
        "sample",
        "state",
        "reason",
        "answer",
        "score",
        "flags",
        "created_at",
    )


def verdicts_in(project: Project) -> QuerySet[Verdict]:
    """The verdicts of a project, each with all that its page shows."""
    found = Verdict.objects.filter(run__project=project)
    return found.select_related(
        "run__project", "rollout__policy", "rollout__prompt_revision__prompt", "criterion__spec"
    ).defer(
        "rollout__prompt_revision__messages",
        "rollout__prompt_revision__tools",
        "rollout__prompt_revision__columns",
        "rollout__prompt_revision__given",
        "rollout__columns",
        "criterion__spec__line",
        "criterion__spec__provenance",
    )


def beside(rows: QuerySet[Verdict], one: Verdict) -> tuple[int | None, int | None]:
    """The ids of the rows before and after one, in the order they came."""
    before = rows.filter(pk__lt=one.pk).order_by("-pk").values_list("pk", flat=True).first()
    after = rows.filter(pk__gt=one.pk).order_by("pk").values_list("pk", flat=True).first()
    return before, after


def staleness_of(verdict: Verdict) -> str:
    """What became of what was judged: empty (it is asked the same way), `changed` or `gone`."""
    if verdict.criterion is None:
        return ""
    specs = Spec.objects.filter(prompt_revision=verdict.rollout.prompt_revision_id)
    newest = specs.order_by("-version").values("pk")[:1]
    now = Criterion.objects.filter(spec=newest, key=verdict.criterion.key)
    content = now.values_list("content_sha256", flat=True).first()
    if content is None:
        return "gone"
    return "" if content == verdict.criterion.content_sha256 else "changed"


def readable_verdicts(run: JudgeRun) -> QuerySet[Verdict]:
    """The verdicts of a run and of its parents, each with its rollout and criterion."""
    found = Verdict.objects.filter(run_id__in=chain_of(run))
    return found.select_related("run", "rollout", "criterion").defer("rollout__messages")


def attempts_of(verdict: Verdict) -> list[Call]:
    """Every attempt behind a verdict, the first one first; empty where nothing was asked."""
    if verdict.call_id is None:
        return []
    last = Call.objects.get(pk=verdict.call_id)
    before = Call.objects.filter(
        pk__range=(last.pk - NEARBY, last.pk - 1),
        job_id=last.job_id,
        role=last.role,
        nonce=last.nonce,
        slots=last.slots,
        attempt__lt=last.attempt,
    )
    return [*reversed(before.order_by("-pk")[: last.attempt - 1]), last]
