"""The workbench of a spec: its constraints as forms, tried on any response while one types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.accounts.forms import with_unix_lines
from apps.activity import services as activity
from apps.activity.errors import ApplicationError, Conflict
from apps.activity.selectors import draft_of
from apps.specs import selectors, services
from apps.specs.forms import ConstraintForm, Editing
from apps.specs.models import Constraint as ConstraintRow
from apps.specs.models import Spec
from apps.specs.showing import (
    ShownConstraint,
    asked_text,
    constraint_words,
    marked_prompt,
    shown_constraints,
)
from apps.specs.showing.tried import Asked, TriedResponse, contradicting, shown_tried
from apps.specs.views.detail import acts_of, find, number_in
from apps.specs.views.review import reason_in
from rubricstudio.core.checkers.claims import probable_quote
from rubricstudio.core.checkers.registry import TYPES, find_named
from rubricstudio.core.types import Constraint

NEW = "new"
TAKE = "take-constraint"
DRAFT_DIGITS = 12
UNUSABLE = 422


@dataclass(frozen=True)
class Bench:
    """A version of a spec on the bench, and which of its constraints is chosen.

    `number` counts from 1; one more than there are is a new one.
    """

    slug: str
    spec: Spec
    rows: list[ConstraintRow]
    number: int
    may_edit: bool

    @property
    def row(self) -> ConstraintRow | None:
        return self.rows[self.number - 1] if 0 < self.number <= len(self.rows) else None

    @property
    def is_new(self) -> bool:
        return self.number > len(self.rows)

    @property
    def prompt_number(self) -> int:
        return self.spec.prompt_revision.prompt.number

    @property
    def chosen(self) -> str:
        """The chosen one as the address says it."""
        return NEW if self.is_new else str(self.number)

    @property
    def draft_key(self) -> str:
        """Of the form: a draft belongs to a constraint as it was saved."""
        saved = "" if self.row is None else self.row.content_sha256[:DRAFT_DIGITS]
        return f"constraint-{self.prompt_number}-{self.chosen}-{saved}"

    def editing(self, type_name: str | None = None) -> Editing:
        """What the form is about, with the fields of the named type or of the row's own."""
        prompt = asked_text(self.spec.prompt_revision.messages)
        if self.row is None:
            return Editing(prompt, None, find_named(type_name or ""))
        now = self.row.as_value()
        own = None if self.row.refused else self.row.type
        return Editing(prompt, now, find_named(own or "" if type_name is None else type_name))


@access.project(access.READERS)
@require_safe
def workbench(request: ProjectRequest, slug: str, prompt: int) -> HttpResponse:
    """The constraints of a version, the newest unless the address names another."""
    bench = _bench(request, prompt, request.GET.get("constraint", ""))
    return _page(request, bench, _form(request, bench))


@access.project(access.AUTHORS)
@require_POST
def constraint_fields(request: ProjectRequest, slug: str, prompt: int) -> HttpResponse:
    """The fields of the type that was chosen, with what the form holds already."""
    bench = _bench(request, prompt, request.POST.get("constraint", ""))
    form = ConstraintForm(editing=bench.editing(request.POST.get("type", "")))
    form.keep(request.POST)
    return render(request, "specs/_constraint_fields.html", {"form": form, "bench": bench})


@access.project(access.READERS)
@require_POST
def try_response(request: ProjectRequest, slug: str, prompt: int) -> HttpResponse:
    """What the checkers say of a response; the constraint in the form counts as it stands there."""
    bench = _bench(request, prompt, request.POST.get("constraint", ""))
    response = with_unix_lines(request.POST.get("response", ""))
    problem, tried = "", None
    try:
        tried = _tried(request, bench, response)
    except ApplicationError as error:
        problem = error.message
    if "HX-Request" in request.headers:
        return render(request, "specs/_tried.html", {"tried": tried, "problem": problem})
    form = _form(request, bench)
    return _page(request, bench, form, tried=tried, problem=problem, response=response)


@access.project(access.AUTHORS)
@require_POST
def save_constraint(request: ProjectRequest, slug: str, prompt: int) -> HttpResponse:
    """Save the form as the next version; where somebody else changed the same, show both."""
    bench = _bench(request, prompt, request.POST.get("constraint", ""))
    if request.POST.get(TAKE) == "theirs":
        _forget_draft(request, bench)
        return _to(bench, bench.number)
    form = ConstraintForm(request.POST, editing=bench.editing(request.POST.get("type", "")))
    if not form.is_valid() or form.value is None:
        return _page(request, bench, form, status=UNUSABLE)
    try:
        saved = _save(request, bench, form)
    except Conflict as error:
        return _conflict_page(request, bench, error)
    except ApplicationError as error:
        form.add_error(None, error.message)
        return _page(request, bench, form, status=UNUSABLE)
    _forget_draft(request, bench)
    if saved.version == bench.spec.version:
        messages.info(request, _("Nothing was changed, so nothing was saved."))
    else:
        said = _("Saved as version %(version)d, a draft.") % {"version": saved.version}
        messages.success(request, said, extra_tags=_undo(request, saved))
    return _to(bench, bench.number)


def _save(request: ProjectRequest, bench: Bench, form: ConstraintForm) -> Spec:
    said = {
        "constraint": form.value,
        "author": request.user,
        "reason": form.cleaned_data["reason"],
    }
    if bench.row is None:
        return services.add_constraint(bench.spec, **said)
    return services.change_constraint(bench.spec, number=bench.number, **said)


@access.project(access.AUTHORS)
@require_POST
def remove_constraint(request: ProjectRequest, slug: str, prompt: int) -> HttpResponse:
    """The next version is without it."""
    bench = _bench(request, prompt, request.POST.get("constraint", ""))
    try:
        saved = services.remove_constraint(
            bench.spec, number=bench.number, author=request.user, reason=reason_in(request)
        )
    except ApplicationError as error:
        messages.error(request, error.message)
        return _to(bench, 1)
    _forget_draft(request, bench)
    said = _("Constraint %(number)d was removed.") % {"number": bench.number}
    messages.success(request, said, extra_tags=_undo(request, saved))
    return _to(bench, max(1, bench.number - 1))


@access.project(access.AUTHORS)
@require_POST
def restore_constraints(
    request: ProjectRequest, slug: str, prompt: int, version: int
) -> HttpResponse:
    """The constraints of an earlier version count again, in the next one."""
    spec = find(request, prompt, version)
    saved = services.restore_constraints(spec, author=request.user, reason=reason_in(request))
    said = _("The constraints are those of version %(old)d again, as version %(new)d.")
    messages.success(request, said % {"old": version, "new": saved.version})
    return redirect("specs:workbench", slug=slug, prompt=prompt)


def _to(bench: Bench, number: int) -> HttpResponse:
    """To the newest version, with this constraint if it has one."""
    address = reverse("specs:workbench", args=[bench.slug, bench.prompt_number])
    return redirect(f"{address}?constraint={number}")


def _undo(request: ProjectRequest, saved: Spec) -> str:
    """What takes an edit back: the constraints of the version that it was made from."""
    before = saved.parent.version if saved.parent else saved.version
    prompt = saved.prompt_revision.prompt
    return reverse("specs:restore_constraints", args=[request.project.slug, prompt.number, before])


def _forget_draft(request: ProjectRequest, bench: Bench) -> None:
    activity.drop_draft(user=request.user, project=request.project, key=bench.draft_key)


def _conflict_page(request: ProjectRequest, bench: Bench, error: Conflict) -> HttpResponse:
    """The form as it was typed, on top of what stands there now: saving it again decides."""
    now = find(request, bench.prompt_number, None)
    rows = list(now.constraints.all())
    theirs = error.extra.get("theirs")
    ahead = Bench(bench.slug, now, rows, theirs or len(rows) + 1, may_edit=True)
    form = ConstraintForm(request.POST, editing=ahead.editing(request.POST.get("type", "")))
    form.is_valid()
    field = {
        "label": _("Constraint %(number)d") % {"number": bench.number},
        "choice": TAKE,
        "mine": _words(form.value),
        "theirs": _words(ahead.row.as_value() if ahead.row else None),
    }
    conflict = {"sentence": error.message, "fields": [field]}
    return _page(request, ahead, form, status=error.status, conflict=conflict)


def _words(constraint: Constraint | None) -> str:
    if constraint is None:
        return _("removed")
    return f"{constraint.type.replace('_', ' ')} {constraint_words(constraint.params)}"


def _bench(request: ProjectRequest, prompt: int, chosen: str) -> Bench:
    """The version that the address names, with the chosen constraint; the first one unless said.

    Raises Http404 for what is not there. What is saved goes on top of the newest version, so a
    form may be of an older one; a page of an older one is to read.
    """
    version = number_in(request, "version")
    spec = find(request, prompt, version)
    rows = list(spec.constraints.all())
    newest = request.method == "POST" or version is None or not selectors.is_outdated(spec)
    number = len(rows) + 1 if chosen == NEW or not rows else 1
    if chosen not in ("", NEW):
        number = int(chosen) if chosen.isdecimal() and len(chosen) <= DRAFT_DIGITS else 0
        # The last one may have been removed since the address was written.
        number = min(number, max(len(rows), 1))
    if not number:
        raise Http404
    may_edit = newest and bool(request.roles & access.AUTHORS)
    return Bench(request.project.slug, spec, rows, number, may_edit)


def _form(request: ProjectRequest, bench: Bench) -> ConstraintForm | None:
    """The form of the chosen constraint; None for who may only read.

    A draft may have chosen another type, whose fields are needed to show it.
    """
    if not bench.may_edit:
        return None
    drafts = draft_of(request.user, request.project, bench.draft_key)
    typed = (drafts.values_list("body", flat=True).first() or {}).get("type")
    known = typed if isinstance(typed, str) and find_named(typed) else None
    return ConstraintForm(editing=bench.editing(known))


def _page(
    request: ProjectRequest,
    bench: Bench,
    form: ConstraintForm | None,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    constraints = shown_constraints(bench.rows)
    chosen = constraints[bench.number - 1] if bench.row else None
    asked = bench.spec.prompt_revision.messages
    versions = list(selectors.list_versions(bench.spec))
    is_newest = versions[0].version == bench.spec.version
    response = more.pop("response", "") or _response_of_rollout(request, bench.spec)
    context = {
        "spec": bench.spec,
        "prompt": bench.spec.prompt_revision.prompt,
        "bench": bench,
        "form": form,
        "constraints": constraints,
        "chosen": chosen,
        "checker": selectors.checker_of(bench.row) if bench.row else None,
        "probable": _probable(chosen, asked_text(asked)),
        "marked": marked_prompt(asked, constraints, chosen=bench.number, probable=True),
        "contradictions": contradicting(
            [(one.number, one.row.as_value()) for one in constraints if not one.row.refused]
        ),
        "versions": versions,
        "newest": versions[0],
        "is_newest": is_newest,
        "at_version": "" if is_newest else f"&version={bench.spec.version}",
        "may_restore": bool(request.roles & access.AUTHORS),
        "acts": acts_of(request, bench.spec) if is_newest else {},
        "types": TYPES.values(),
        "response": response,
        **more,
    }
    return render(request, "specs/workbench.html", context, status=status)


def _probable(chosen: ShownConstraint | None, prompt: str) -> str:
    """The words that probably ask for a constraint that quotes none."""
    if chosen is None or chosen.quoted:
        return ""
    return probable_quote(chosen.row.as_value(), prompt)


def _response_of_rollout(request: ProjectRequest, spec: Spec) -> str:
    number = number_in(request, "rollout")
    if number is None:
        return ""
    found = selectors.response_of_rollout(spec, number)
    if found is None:
        raise Http404
    return found


def _tried(request: ProjectRequest, bench: Bench, response: str) -> TriedResponse | None:
    """None where there is no response to try."""
    if not response:
        return None
    asked = [Asked(number, one.type, one.as_value()) for number, one in enumerate(bench.rows, 1)]
    typed = _as_typed(request, bench)
    if typed is not None:
        asked[bench.number - 1 : bench.number] = [typed]
    values = [one.value for one in asked if one.value is not None]
    truncated = "truncated" in request.POST
    outcomes = services.try_response(values, response, truncated=truncated, spec=bench.spec)
    return shown_tried(asked, outcomes, response)


def _as_typed(request: ProjectRequest, bench: Bench) -> Asked | None:
    """The constraint in the form; None where there is no form, or no type was chosen in it."""
    name = request.POST.get("type", "")
    if not name:
        return None
    form = ConstraintForm(request.POST, editing=bench.editing(name))
    problem = "" if form.is_valid() else form.problem()
    if form.value is None:
        return Asked(bench.number, name, None, typed=True, problem=problem)
    saved = bench.row.as_value().content_hash() if bench.row else ""
    typed = form.value.content_hash() != saved
    return Asked(bench.number, name, form.value, typed=typed, problem=problem)
