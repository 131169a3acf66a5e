"""A destructive act happens only after its counts were shown and the name was typed.

    refused = ask_for_name(request, Confirmation(…, expected=bundle.name), frame="project.html")
    if refused:
        return refused
    services.retract(…)

The check is here, on the server; components/confirm.html is how it looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

TEMPLATE = "confirm.html"
UNTYPED = 422


@dataclass(frozen=True)
class Confirmation:
    """What would happen: `counts` are (label, number) of what goes, `expected` is to be typed."""

    title: str
    sentence: str
    expected: str
    act: str
    back: str
    counts: Sequence[tuple[str, object]] = ()
    # Whether a reason has to be given as well.
    needs_reason: bool = False


def ask_for_name(
    request: HttpRequest, confirmation: Confirmation, *, frame: str = "base.html", **context: Any
) -> HttpResponse | None:
    """The page that asks; None once the name was typed right, and a reason given if one is needed.

    `frame` is the template around it, `context` what that one takes beside.
    """
    problems = _problems(request, confirmation) if request.method == "POST" else {}
    if request.method == "POST" and not problems:
        return None
    shown = {
        **vars(confirmation),
        "typed": request.POST.get("typed", ""),
        "reason": request.POST.get("reason", ""),
        **problems,
    }
    status = UNTYPED if problems else 200
    return render(request, TEMPLATE, {"frame": frame, **shown, **context}, status=status)


def reason_of(request: HttpRequest) -> str:
    """Why, as the person said."""
    return request.POST.get("reason", "").strip()


def _problems(request: HttpRequest, confirmation: Confirmation) -> dict[str, str]:
    problems = {}
    if request.POST.get("typed", "").strip() != confirmation.expected.strip():
        problems["problem"] = _("This is not %(expected)s: type it exactly as it stands there.") % {
            "expected": confirmation.expected
        }
    if confirmation.needs_reason and not reason_of(request):
        problems["reason_problem"] = _("Say why: the reason stays in the audit trail.")
    return problems
