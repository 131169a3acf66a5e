"""One spec: its rubric and constraints, its versions, where it came from, and its review."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.middleware import HtmxDetails

from apps.accounts import access, project_settings
from apps.accounts.access import ProjectRequest
from apps.activity.errors import BadInput
from apps.calls import selectors as calls
from apps.calls import services as call_services
from apps.prompts.selectors import find_prompt
from apps.specs import selectors
from apps.specs.models import Spec
from apps.specs.showing import (
    differences,
    disagreements_of,
    facts_of,
    marked_prompt,
    rubric_of,
    shown_constraints,
)
from apps.specs.showing.provenance import shown_provenance
from apps.specs.showing.rubric import find_criterion
from apps.specs.showing.tried import contradicting

MOST_PILLS = 100
LARGEST = 2**31 - 1


@access.project(access.READERS)
@require_safe
@vary_on_headers("HX-Request")
def detail(request: ProjectRequest, slug: str, prompt: int) -> HttpResponse:
    """A version of a spec, the newest unless the address names another; htmx gets a criterion."""
    spec = find(request, prompt, number_in(request, "version"))
    buckets = rubric_of(list(spec.criteria.all()))
    chosen = find_criterion(buckets, request.GET.get("criterion", ""))
    shown = {
        "spec": spec,
        "prompt": spec.prompt_revision.prompt,
        "chosen": chosen,
        "facts": facts_of(chosen.row) if chosen else [],
    }
    if request.GET.get("criterion") and chosen is None:
        raise Http404
    if "HX-Request" in request.headers:
        return render(request, "specs/_criterion.html", shown)
    return render(request, "specs/detail.html", {**shown, **_beside(request, spec, buckets)})


def _beside(request: ProjectRequest, spec: Spec, buckets: list[Any]) -> dict[str, Any]:
    constraints = shown_constraints(spec.constraints.all())
    versions = list(selectors.list_versions(spec))
    is_newest = versions[0].version == spec.version
    return {
        "buckets": buckets,
        "constraints": constraints,
        "contradictions": contradicting(
            [(one.number, one.row.as_value()) for one in constraints if not one.row.refused]
        ),
        "disagreements": disagreements_of(constraints),
        "marked": marked_prompt(spec.prompt_revision.messages, constraints),
        "versions": versions,
        "is_newest": is_newest,
        "newest": versions[0],
        "provenance": _provenance(request, spec),
        "acts": acts_of(request, spec) if is_newest else {},
    }


def _provenance(request: ProjectRequest, spec: Spec) -> Any:
    asked = spec.provenance.get("asked", {})
    pks = [pk for role in asked.values() for pk in role.get("calls", [])]
    hashes = [one for role in asked.values() for one in role.get("templates", {}).values()]
    return shown_provenance(
        spec.provenance,
        calls=calls.calls_of(request.project, pks) if pks else [],
        templates=calls.template_versions(hashes) if hashes else {},
    )


def acts_of(request: ProjectRequest, spec: Spec) -> dict[str, Any]:
    """What this person may do with the newest version, and why not approve it."""
    state, reviewer = spec.state, bool(request.roles & access.REVIEWERS)
    may_ask = bool(request.roles & (access.AUTHORS | access.REVIEWERS))
    second = project_settings.load(request.project).approval_needs_second_person
    own = spec.author_id == request.user.pk and second
    why_not = ""
    if reviewer and own:
        why_not = _("You wrote it: somebody else has to approve it.")
    elif not reviewer:
        why_not = _("A reviewer approves it.")
    return {
        "request_review": state == Spec.State.DRAFT and may_ask,
        "approve": state == Spec.State.IN_REVIEW and reviewer and not own,
        "why_not": why_not if state == Spec.State.IN_REVIEW else "",
        "send_back": state in (Spec.State.IN_REVIEW, Spec.State.CANDIDATE) and reviewer,
    }


@access.project(access.READERS)
@require_safe
def compare(request: ProjectRequest, slug: str, prompt: int) -> HttpResponse:
    """What differs between two versions; of the newest and the one before it, unless named."""
    after = find(request, prompt, number_in(request, "to"))
    named = number_in(request, "from")
    if named is None and after.version == 1:
        raise Http404
    before = find(request, prompt, after.version - 1 if named is None else named)
    context = {
        "prompt": after.prompt_revision.prompt,
        "before": before,
        "after": after,
        "versions": list(selectors.list_versions(after)),
        "differences": differences(before, after),
    }
    return render(request, "specs/compare.html", context)


@access.project(access.READERS)
@require_safe
def line(request: ProjectRequest, slug: str, prompt: int) -> HttpResponse:
    """The canonical line: what the hash is of, and what a bundle writes."""
    spec = find(request, prompt, number_in(request, "version"))
    return HttpResponse(spec.line, "text/plain; charset=utf-8")


@access.project(access.READERS)
@require_safe
@vary_on_headers("HX-Request")
def call(request: ProjectRequest, slug: str, call: int) -> HttpResponse:
    """One request that a spec was made with: its template, what was sent, the raw answer."""
    found = calls.find_call(request.project, call)
    if found is None:
        raise Http404
    part = "HX-Request" in request.headers
    context = {
        "explained": call_services.explain_call(found),
        "back": (part and _opened_from(request)) or reverse("specs:list", args=[slug]),
    }
    return render(request, "specs/_call.html" if part else "specs/call.html", context)


@access.project(access.READERS)
@require_safe
def of_prompt(request: ProjectRequest, slug: str, prompt: int) -> HttpResponse:
    """The newest spec of a prompt, as a part of the prompt's page."""
    spec = selectors.find_spec(request.project, prompt=prompt)
    if spec is None and find_prompt(request.project, prompt) is None:
        raise Http404
    context = {
        "spec": spec,
        "number": prompt,
        "may_make": bool(request.roles & access.AUTHORS),
        "buckets": rubric_of(list(spec.criteria.all())) if spec else [],
        "constraints": shown_constraints(spec.constraints.all()) if spec else [],
    }
    return render(request, "specs/_of_prompt.html", context)


@access.project(access.READERS)
@require_safe
def states(request: ProjectRequest, slug: str) -> HttpResponse:
    """The states of the specs of some prompts, each to be put into its place on their page."""
    asked = request.GET.get("prompts", "").split(",")[:MOST_PILLS]
    numbers = [int(one) for one in asked if one.isdecimal() and int(one) <= LARGEST]
    found = selectors.states_of(request.project, numbers)
    return render(request, "specs/_states.html", {"found": found})


def _opened_from(request: ProjectRequest) -> str:
    """The page whose drawer it is shown in."""
    htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]  # set by its middleware
    return htmx.current_url_abs_path or ""


def find(request: ProjectRequest, prompt: int, version: int | None) -> Spec:
    spec = selectors.find_spec(request.project, prompt=prompt, version=version)
    if spec is None:
        raise Http404
    return spec


def number_in(request: ProjectRequest, name: str) -> int | None:
    value = request.GET.get(name, "")
    if not value:
        return None
    if not value.isdecimal() or int(value) > LARGEST:
        raise BadInput(
            _("%(name)s is %(value).40r: it is a number.") % {"name": name, "value": value}
        )
    return int(value)
