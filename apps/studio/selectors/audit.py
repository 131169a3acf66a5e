"""Looking through the trail of a project, by who, what, which thing and which day; its seals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext as _

from apps.accounts.models import Project, User
from apps.activity.errors import BadInput
from apps.activity.models import AuditEvent, Seal
from apps.activity.selectors import events_after, last_seal
from apps.bundles.models import Bundle
from apps.judging.models import JudgeRun
from apps.prompts.models import Prompt
from apps.rewards.models import RewardRun
from apps.rollouts.models import Rollout
from apps.specs.models import Spec
from apps.studio.selectors.jumping import NUMBERED

Events = QuerySet[AuditEvent]
SYSTEM = "system"


def by_actor(events: Events, name: str) -> Events:
    """The acts of people whose name holds the text; `system` is for what nobody did."""
    people = User.objects.filter(Q(username__icontains=name) | Q(display_name__icontains=name))
    own = Q(actor__in=people)
    if name.casefold() in (SYSTEM, _("system")):
        own |= Q(actor__isnull=True)
    return events.filter(own)


def by_day(events: Events, text: str) -> Events:
    """The acts of one day, in UTC. Raises BadInput."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise BadInput(_("%(text)r is no day: write it as 2026-08-24.") % {"text": text}) from None
    return events.filter(at__date=day)


def by_thing(events: Events, text: str) -> Events:
    """The acts on one thing, named by its kind and number: "run 3", "spec 12". Raises BadInput."""
    match = NUMBERED.match(text)
    kind = match["kind"].strip().casefold() if match else ""
    finders = [find for names, find in _kinds() if kind and kind in names]
    if match is None or not finders:
        raise BadInput(
            _("%(text)r names no thing: write a kind and a number, such as run 3 or spec 12.")
            % {"text": text}
        )
    label, rows = finders[0](int(match["number"]))
    # The project of the events narrows the things too, so a number means what it means there.
    ids = [str(pk) for pk in rows.values_list("pk", flat=True)]
    return events.filter(target_type=label, target_id__in=ids)


Finder = Callable[[int], tuple[str, QuerySet[Any]]]


def _kinds() -> list[tuple[tuple[str, ...], Finder]]:
    return [
        (("prompt", _("prompt")), _numbered(Prompt)),
        (("spec", _("spec")), _specs),
        (("rollout", _("rollout")), _numbered(Rollout)),
        (("run", _("run")), _numbered(JudgeRun)),
        (("reward run", _("reward run")), _numbered(RewardRun)),
        (("bundle", _("bundle")), _numbered(Bundle)),
    ]


def _numbered(model: type[Model]) -> Finder:
    return lambda number: (
        model._meta.label_lower,
        model._default_manager.filter(number=number),
    )


def _specs(number: int) -> tuple[str, QuerySet[Any]]:
    """Every version that the prompt ever had."""
    return "specs.spec", Spec.objects.filter(prompt_revision__prompt__number=number)


@dataclass(frozen=True)
class SealState:
    """How far the trail is sealed: the last seal, and how many events came after it."""

    last: Seal | None
    unsealed: int


def seal_state(project: Project) -> SealState:
    seal = last_seal(project.pk)
    after = events_after(project.pk, seal.last_event_id if seal else 0)
    return SealState(seal, after.count())


def seal_over(event: AuditEvent) -> Seal | None:
    """The seal that covers an event; None while it is too young."""
    return Seal.objects.filter(
        project=event.project, first_event_id__lte=event.pk, last_event_id__gte=event.pk
    ).first()


@dataclass(frozen=True)
class Changed:
    """A value that an act changed."""

    name: str
    before: str
    after: str


def changes_of(detail: dict[str, Any]) -> list[Changed]:
    """What `before` and `after` of a detail differ in."""
    before, after = detail.get("before"), detail.get("after")
    if not isinstance(before, dict) or not isinstance(after, dict):
        return []
    names = [*before, *(name for name in after if name not in before)]
    return [
        Changed(name, _written(before.get(name)), _written(after.get(name)))
        for name in names
        if before.get(name) != after.get(name)
    ]


def _written(value: object) -> str:
    return "" if value is None else str(value)
