"""Reward runs: the list, computing one, and the page of one with its rewards."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, cast

from django.contrib import messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.activity.errors import ApplicationError, BadInput
from apps.activity.listing import Filter, Listing, by_field, listing
from apps.activity.tasks import enqueue_job
from apps.judging.selectors import checks_are_due
from apps.rewards import charts, selectors, services, wording
from apps.rewards.forms import ComputeForm
from apps.rewards.models import Reward, RewardRun
from apps.rewards.showing import reward_lines
from rubricstudio.core.errors import CoreError

UNUSABLE = 422
SCORED, UNSCORED = "scored", "unscored"
MOST_POLICIES = 200


@access.project(access.READERS)
@require_safe
@vary_on_headers("HX-Request")
def list_runs(request: HttpRequest, slug: str) -> HttpResponse:
    """The reward runs, newest first; while one is computed htmx asks again for the list."""
    project = cast(ProjectRequest, request).project
    context = {
        "found": listing(request, selectors.run_list(project), key="-number"),
        "jobs": selectors.reward_jobs(project),
        "may_compute": _may_write(request),
    }
    part = request.headers.get("HX-Request")
    return render(request, "rewards/_runs.html" if part else "rewards/runs.html", context)


@access.project(access.AUTHORS)
@require_http_methods(["GET", "HEAD", "POST"])
def compute(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose what rewards are computed from, and compute them."""
    admitted = cast(ProjectRequest, request)
    form = ComputeForm(
        request.POST or None,
        configs=selectors.config_names(admitted.project),
        judge_runs=selectors.judge_runs_to_offer(admitted.project),
        check_runs=selectors.check_runs_to_offer(admitted.project),
        initial={name: request.GET.get(name, "") for name in ("config", "judge_run", "check_run")},
    )
    if request.method == "POST" and form.is_valid():
        try:
            return _computed(admitted, form)
        except (ApplicationError, CoreError) as error:
            form.add_error(None, str(error))
    status = UNUSABLE if form.errors else 200
    context = {"form": form, "checks_are_due": checks_are_due(admitted.project)}
    return render(request, "rewards/compute.html", context, status=status)


def _computed(request: ProjectRequest, form: ComputeForm) -> HttpResponse:
    project = request.project
    name = form.cleaned_data["config"]
    config = services.config_named(project=project, name=name, author=request.actor)
    wish = {"project": project, "config": config, "requested_by": request.actor, **form.wish()}
    if services.takes_long(project):
        with transaction.atomic():
            job = services.start_computing(**wish)
            transaction.on_commit(partial(enqueue_job, job.pk))
        messages.success(request, _("The rewards are being computed; they show here when done."))
        return redirect("rewards:runs", slug=project.slug)
    newest = selectors.run_list(project).first()
    run = services.compute_rewards(**wish)
    is_new = newest is None or run.number > newest.number
    told = (
        _("Reward run %(number)d is computed.")
        if is_new
        else _("Nothing has changed since reward run %(number)d, so it is shown again.")
    )
    messages.success(request, told % {"number": run.number})
    return redirect("rewards:run", slug=project.slug, number=run.number)


@access.project(access.READERS)
@require_safe
def show_run(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One run: how its rewards are spread, what was not scored, and the rewards themselves."""
    project = cast(ProjectRequest, request).project
    run = get_object_or_404(selectors.reward_runs_of(project), number=number)
    run.project = project
    found = _rewards(request, run)
    bins = selectors.histogram(run)
    address = reverse("rewards:run", args=[slug, number])
    context = {
        "run": run,
        "found": found,
        "lines": reward_lines(run, found.items),
        "chart": charts.histogram_chart(bins, address=address) if bins else None,
        "unscored": _named(run.summary.get("unscored_by_reason", {}), wording.reason_sentence),
        "flags": _named(run.summary.get("flagged_groups", {}), wording.flag_meaning),
    }
    return render(request, "rewards/run.html", context)


def _rewards(request: HttpRequest, run: RewardRun) -> Listing[Reward]:
    policies = selectors.policies_in(run.project)
    reasons = run.summary.get("unscored_by_reason", {})
    flags = run.summary.get("flagged_groups", {})
    filters = [
        Filter("prompt", gettext_lazy("Prompt"), _by_prompt),
        Filter(
            "policy",
            gettext_lazy("Policy"),
            by_field("rollout__policy__name"),
            choices=[(name, name) for name in policies] if len(policies) <= MOST_POLICIES else (),
        ),
        Filter(
            "reason",
            gettext_lazy("Reward"),
            _by_reason,
            choices=[
                (SCORED, _("has one")),
                (UNSCORED, _("has none")),
                *(
                    (reason, _("none: %(reason)s") % {"reason": _words(reason)})
                    for reason in reasons
                ),
            ],
        ),
        Filter(
            "flag", gettext_lazy("Flag"), _by_flag, choices=[(one, _words(one)) for one in flags]
        ),
        Filter("least", gettext_lazy("From"), _at_least),
        Filter("below", gettext_lazy("Below"), _below),
    ]
    # The choices of a flag that nothing has are no menu.
    shown = [one for one in filters if one.name != "flag" or flags]
    return listing(request, selectors.reward_table(run), filters=shown, key="pk")


def _by_prompt(rows: QuerySet[Any], number: str) -> QuerySet[Any]:
    if not number.isdecimal() or len(number) > 9:
        raise BadInput(_("Prompt has to be a number."))
    return rows.filter(rollout__prompt_revision__prompt__number=int(number))


def _by_reason(rows: QuerySet[Any], value: str) -> QuerySet[Any]:
    if value in (SCORED, UNSCORED):
        return rows.filter(reward__isnull=value == UNSCORED)
    return rows.filter(reason=value)


def _by_flag(rows: QuerySet[Any], flag: str) -> QuerySet[Any]:
    return rows.filter(flags__contains=[flag])


def _at_least(rows: QuerySet[Any], value: str) -> QuerySet[Any]:
    return rows.filter(reward__gte=_number(value))


def _below(rows: QuerySet[Any], value: str) -> QuerySet[Any]:
    return rows.filter(reward__lt=_number(value))


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadInput(_("%(text)r is not a number such as 0.5.") % {"text": text})
    return number


def _words(code: str) -> str:
    return code.replace("_", " ")


def _named(counts: dict[str, int], meaning: Any) -> list[dict[str, Any]]:
    """Codes with their count and what they mean, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return [
        {"code": code, "words": _words(code), "count": count, "meaning": meaning(code)}
        for code, count in ordered
        if count
    ]


def _may_write(request: HttpRequest) -> bool:
    return bool(cast(ProjectRequest, request).roles & access.AUTHORS)
