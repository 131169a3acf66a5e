"""Check runs: what the checkers said, by constraint type and one by one."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.activity.listing import Filter, by_field, listing
from apps.activity.tasks import enqueue_job
from apps.judging import provenance, selectors, services
from apps.judging.models import CheckOutcome
from apps.judging.views.verdicts import by_rollout
from apps.specs.selectors import find_spec
from apps.specs.showing.words import shown_constraints

MOST_DIGITS = 10

FILTERS = (
    Filter(
        "result", gettext_lazy("Result"), by_field("result"), choices=CheckOutcome.Result.choices
    ),
    Filter("type", gettext_lazy("Constraint"), by_field("checker__constraint__type")),
    Filter("rollout", gettext_lazy("Rollout"), by_rollout),
)


@access.project(access.READERS)
@require_safe
@vary_on_headers("HX-Request")
def list_checks(request: HttpRequest, slug: str) -> HttpResponse:
    """The check runs, newest first; while one is under way htmx asks again for the list."""
    project = cast(ProjectRequest, request).project
    found = listing(request, selectors.check_runs_of(project), key="-number")
    context = {
        "found": found,
        "reports": selectors.check_reports(found.items),
        "jobs": selectors.open_check_jobs(project),
        "may_write": bool(cast(ProjectRequest, request).roles & access.AUTHORS),
    }
    template = (
        "judging/_checks.html" if request.headers.get("HX-Request") else "judging/checks.html"
    )
    return render(request, template, context)


@access.project(access.AUTHORS)
@require_POST
def run_checks(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask every checker about every rollout: at once, or in the background where it takes long."""
    admitted = cast(ProjectRequest, request)
    project, actor = admitted.project, admitted.actor
    if selectors.checking_takes_long(project):
        with transaction.atomic():
            job = services.start_checks(project=project, requested_by=actor)
            transaction.on_commit(partial(enqueue_job, job.pk))
        messages.success(request, _("The checkers are at work; their outcomes show here."))
        return redirect("judging:checks", slug=slug)
    number = services.run_checks(project=project, requested_by=actor).run.number
    messages.success(request, _("These are the outcomes of check run %d.") % number)
    return redirect("judging:check_run", slug=slug, number=number)


@access.project(access.READERS)
@require_safe
def check_run(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One check run by constraint type, and its outcomes."""
    project = cast(ProjectRequest, request).project
    run = get_object_or_404(selectors.check_runs_of(project), number=number)
    found = listing(request, selectors.list_outcomes(run), filters=FILTERS, key="pk")
    context = {"run": run, "found": found, "types": selectors.counts_by_type(run)}
    return render(request, "judging/check_run.html", context)


@access.project(access.READERS)
@require_safe
@vary_on_headers("HX-Request")
def outcome(request: HttpRequest, slug: str, outcome: int) -> HttpResponse:
    """One outcome with the place in the response that it comes from."""
    project = cast(ProjectRequest, request).project
    one = get_object_or_404(selectors.outcomes_in(project), pk=outcome)
    part = request.headers.get("HX-Request")
    template = "judging/_outcome.html" if part else "judging/outcome.html"
    title = _("Rollout %(number)d, %(type)s") % {
        "number": one.rollout.number,
        "type": one.checker.constraint.type,
    }
    back = reverse("judging:check_run", args=[slug, one.run.number])
    context = {
        **outcome_context(one, slug=slug),
        "title": title,
        "back": back,
        "in_drawer": bool(part),
    }
    return render(request, template, context)


@access.project(access.READERS)
@require_safe
def constraint_results(request: HttpRequest, slug: str, prompt: int) -> HttpResponse:
    """How the constraints of a spec behave over the rollouts of its prompt, as a part of a page."""
    project = cast(ProjectRequest, request).project
    version = request.GET.get("version", "")
    number = int(version) if version.isdecimal() and len(version) < MOST_DIGITS else None
    spec = find_spec(project, prompt=prompt, version=number)
    if spec is None:
        raise Http404
    context = {
        "spec": spec,
        "prompt": spec.prompt_revision.prompt,
        "results": selectors.behaviour_of(spec),
        "shown": selectors.SHOWN_ROLLOUTS,
    }
    return render(request, "judging/_constraint_results.html", context)


def outcome_context(one: CheckOutcome, *, slug: str) -> dict[str, Any]:
    """What judging/_outcome.html shows, but for its title and what stands beside it."""
    told = services.tell_outcome(one)
    (constraint,) = shown_constraints([one.checker.constraint])
    return {
        "told": told,
        "outcome": one,
        "run": one.run,
        "constraint": constraint,
        "provenance": provenance.of_outcome(one, slug=slug),
    }
