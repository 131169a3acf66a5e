"""The list of runs, and the page of one run that keeps itself up to date."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.activity.listing import Filter, by_field, listing
from apps.judging import charts, selectors
from apps.judging.models import JudgeRun
from apps.judging.selectors import RunReport

STANDS_STILL = (JudgeRun.State.PAUSED, JudgeRun.State.CANCELLED)
FILTERS = (Filter("state", _("State"), by_field("state"), choices=JudgeRun.State.choices),)


@access.project(access.READERS)
@require_safe
def list_runs(request: HttpRequest, slug: str) -> HttpResponse:
    """The runs of the project, newest first, each with its cells by state."""
    project = cast(ProjectRequest, request).project
    runs = selectors.runs_of(project).select_related("job").defer("parent__judge")
    found = listing(request, runs, filters=FILTERS, key="-number")
    lines = selectors.run_lines(found.items)
    context = {"found": found, "lines": lines, "may_write": _may_write(request)}
    return render(request, "judging/runs.html", context)


@access.project(access.READERS)
@require_safe
@vary_on_headers("HX-Request")
def show_run(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One run; htmx asks for the changing part alone, until the run is over."""
    project = cast(ProjectRequest, request).project
    run = get_object_or_404(selectors.runs_of(project).select_related("job"), number=number)
    part = request.headers.get("HX-Request")
    template = "judging/_run_again.html" if part else "judging/run.html"
    return render(request, template, _run_context(request, run))


def _run_context(request: HttpRequest, run: JudgeRun) -> dict[str, Any]:
    report = selectors.report_of_run(run)
    progress = report.progress
    stopped = report.stopped.at if report.stopped and run.state in STANDS_STILL else None
    return {
        "run": run,
        "report": report,
        "progress": progress,
        "chart": charts.pace_chart(report.pace, stopped=stopped) if report.pace else None,
        "left": _left(report),
        "unscored": _bars(progress.unscored_by_reason),
        "failed": [(*bar, report.failures.get(bar[0])) for bar in _bars(progress.failed_by_cause)],
        "identities": _identities(run),
        "rule": _rule(report),
        "took": (run.finished_at - run.created_at).total_seconds() if run.finished_at else None,
        "tenths": 10 * progress.final // run.expected if run.expected else 10,
        "may_write": _may_write(request),
    }


def _rule(report: RunReport) -> str:
    """How the expected number comes about."""
    sentence = ngettext(
        "criteria and a global score of %(rollouts)s rollout",
        "criteria and a global score of %(rollouts)s rollouts",
        report.rollouts,
    )
    return sentence % {"rollouts": f"{report.rollouts:,}"}


def _identities(run: JudgeRun) -> list[dict[str, str]]:
    """The two roles of the judge in words."""
    labels = {"judge": gettext("Criteria"), "global": gettext("Global score")}
    roles = [(label, run.judge[name]) for name, label in labels.items() if name in run.judge]
    return [
        {
            "label": label,
            "model": role.get("model", ""),
            "server": role.get("server_version", ""),
            "template": role.get("template", ""),
            "sampling": _sampling_words(role.get("sampling") or {}),
        }
        for label, role in roles
    ]


def _sampling_words(sampling: dict[str, Any]) -> str:
    named = {name: value for name, value in sampling.items() if value not in (None, "", {}, [])}
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in named.items())


def _left(report: RunReport) -> tuple[float, float] | None:
    """Seconds until the run would be done, at least and at most, by the pace it has or had."""
    waiting = report.progress.queued + report.progress.running
    if not waiting or report.is_final or report.pace is None:
        return None
    return report.pace.rate.left(waiting)


def _bars(counts: dict[str, int]) -> list[tuple[str, int, float]]:
    """Each reason with its number and its share of the largest, the largest first."""
    largest = max(counts.values(), default=0)
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return [(reason, number, number / largest) for reason, number in ordered]


def _may_write(request: HttpRequest) -> bool:
    return bool(cast(ProjectRequest, request).roles & access.AUTHORS)
