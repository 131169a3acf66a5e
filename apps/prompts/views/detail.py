"""One prompt: its conversation, what came beside it, its revisions and what changed in them."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.activity.errors import BadInput
from apps.prompts import selectors
from apps.prompts.models import Prompt, PromptRevision
from apps.prompts.schemas import shown_columns

SHOWN_CHARACTERS = 24_000
"""So much of a conversation is on the page, twice (rendered and raw); a link leads to the rest."""
MOST_MESSAGES = 30
PART_CHARACTERS = 2_000
MOST_ROWS = 100
CODE = ("tool_call", "tool_result")


@dataclass(frozen=True)
class Turn:
    """A message as the page shows it."""

    role: str
    text: str
    note: str
    code: bool
    href: str

    @classmethod
    def of(cls, message: dict[str, Any], *, href: str) -> Turn:
        """`href` leads to all of its text."""
        role = str(message.get("role", ""))
        names = [str(message[key]) for key in ("name", "call_id") if message.get(key)]
        text = str(message.get("content", ""))
        return cls(role_label(role), text, " ".join(names), role in CODE, href)


@dataclass(frozen=True)
class Change:
    """A part of the prompt as it was and as it is."""

    label: str
    before: str
    after: str


@access.project(access.READERS)
@require_safe
def detail(request: ProjectRequest, slug: str, number: int) -> HttpResponse:
    """A prompt with one of its revisions, the current one unless the address names another."""
    prompt = _prompt(request, number)
    text = _revision(request, prompt, "revision") or prompt.current
    against = _revision(request, prompt, "against")
    if text is None:
        raise Http404
    messages = text.messages[:MOST_MESSAGES]
    whole = f"{reverse('prompts:text', args=[slug, number])}?revision={text.revision}"
    context = {
        "prompt": prompt,
        "text": text,
        "terms": selectors.terms_of([text.source])[text.source.pk],
        "whole": whole,
        "turns": [
            Turn.of(one, href=f"{whole}&message={place}") for place, one in enumerate(messages, 1)
        ],
        "limit": SHOWN_CHARACTERS // max(1, len(messages)),
        "more_messages": len(text.messages) - len(messages),
        "passages": list(text.passages.all()[:MOST_ROWS]),
        "references": list(text.references.all()[:MOST_ROWS]),
        "given": given_rows(text.given)[:MOST_ROWS],
        "given_kind": text.given.get("kind", ""),
        "columns": [(name, _short(one)) for name, one in shown_columns(text.columns).items()],
        "tools": [_indented(one)[:PART_CHARACTERS] for one in text.tools],
        "revisions": list(selectors.list_revisions(prompt)),
        "beside": selectors.neighbours(prompt),
        "against": against,
        "changes": changes(against, text) if against else [],
    }
    return render(request, "prompts/detail.html", context)


@access.project(access.READERS)
@require_safe
def whole_text(request: ProjectRequest, slug: str, number: int) -> HttpResponse:
    """All of a revision as JSON, or one of its messages, as plain text."""
    prompt = _prompt(request, number)
    text = _revision(request, prompt, "revision") or prompt.current
    if text is None:
        raise Http404
    place = _number(request, "message")
    if place is None:
        return _plain(_indented(_everything(text)))
    if not 1 <= place <= len(text.messages):
        raise Http404
    return _plain(str(text.messages[place - 1].get("content", "")))


def role_label(role: str) -> str:
    return {
        "system": _("System"),
        "user": _("User"),
        "assistant": _("Assistant"),
        "tool_call": _("Tool call"),
        "tool_result": _("Tool result"),
        "reasoning": _("Reasoning"),
    }.get(role, role)


def given_rows(given: dict[str, Any]) -> list[tuple[str, str]]:
    """What was published with a prompt, a name and the words of each row."""
    if "rubrics" in given:
        return [(f"{one['points']:g}", one["criterion"]) for one in given["rubrics"]]
    if "checklist" in given:
        return [(one["name"], one["criteria_description"]) for one in given["checklist"]]
    names, arguments = given.get("instruction_id_list", []), given.get("kwargs", [])
    return [(name, _short(one) if one else "") for name, one in zip(names, arguments, strict=True)]


def changes(before: PromptRevision, after: PromptRevision) -> list[Change]:
    """The parts that differ between two revisions: message by message, then what is beside them."""
    old, new = _everything(before), _everything(after)
    nothing: dict[str, Any] = {}
    pairs = itertools.zip_longest(old.pop("messages"), new.pop("messages"), fillvalue=nothing)
    found = [
        Change(
            f"{place} {role_label(str((right or left).get('role', '')))}",
            str(left.get("content", "")),
            str(right.get("content", "")),
        )
        for place, (left, right) in enumerate(pairs, 1)
    ]
    found += [Change(_part_label(name), _indented(old[name]), _indented(new[name])) for name in old]
    return [one for one in found if one.before != one.after]


def _part_label(name: str) -> str:
    return {
        "tools": _("Tools"),
        "columns": _("Columns"),
        "given": _("Published with it"),
        "passages": _("Passages"),
        "references": _("References"),
    }[name]


def _everything(text: PromptRevision) -> dict[str, Any]:
    return {
        "messages": text.messages,
        "tools": text.tools,
        "given": text.given,
        "passages": list(text.passages.values("title", "text", "url")),
        "references": list(text.references.values_list("text", flat=True)),
        "columns": shown_columns(text.columns),
    }


def _prompt(request: ProjectRequest, number: int) -> Prompt:
    prompt = selectors.find_prompt(request.project, number)
    if prompt is None:
        raise Http404
    return prompt


def _revision(request: ProjectRequest, prompt: Prompt, name: str) -> PromptRevision | None:
    """The revision that the address names; None where it names none."""
    number = _number(request, name)
    if number is None:
        return None
    found = selectors.find_revision(prompt, number)
    if found is None:
        raise Http404
    return found


def _number(request: ProjectRequest, name: str) -> int | None:
    value = request.GET.get(name, "")
    if not value:
        return None
    if not value.isdecimal() or int(value) > selectors.MOST_NUMBER:
        raise BadInput(
            _("%(name)s is %(value).40r: it is a number.") % {"name": name, "value": value}
        )
    return int(value)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= PART_CHARACTERS else f"{text[:PART_CHARACTERS]}…"


def _indented(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _plain(text: str) -> HttpResponse:
    return HttpResponse(text, "text/plain; charset=utf-8")
