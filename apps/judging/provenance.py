"""Where a verdict or an outcome comes from, as links: the spec, what was asked, the call."""

from __future__ import annotations

from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _

from apps.judging.models import CheckOutcome, Verdict
from apps.specs.models import Spec


class ProvenanceStep(NamedTuple):
    """A thing that another one comes from; without an address it is where you are."""

    label: str
    href: str = ""


def of_verdict(verdict: Verdict, *, slug: str, attempt: int | None) -> list[ProvenanceStep]:
    """Spec, criterion, verdict and call; `attempt` is the last one, None without any."""
    steps = []
    if verdict.criterion is not None:
        steps = _of_spec(verdict.criterion.spec, _prompt_number(verdict), slug)
        steps.append(ProvenanceStep(verdict.criterion.key))
    else:
        steps.append(ProvenanceStep(_("global score")))
    here = reverse("judging:verdict", args=[slug, verdict.pk])
    steps.append(ProvenanceStep(_("verdict %(pk)d") % {"pk": verdict.pk}, here))
    if attempt is not None and verdict.call_id is not None:
        call = reverse("judging:call", args=[slug, verdict.pk, attempt])
        steps.append(ProvenanceStep(_("call %(pk)d") % {"pk": verdict.call_id}, call))
    return steps


def of_outcome(outcome: CheckOutcome, *, slug: str) -> list[ProvenanceStep]:
    """Spec, constraint and outcome."""
    constraint = outcome.checker.constraint
    here = reverse("judging:outcome", args=[slug, outcome.pk])
    return [
        *_of_spec(constraint.spec, _prompt_number(outcome), slug),
        ProvenanceStep(constraint.type),
        ProvenanceStep(_("outcome %(pk)d") % {"pk": outcome.pk}, here),
    ]


def _of_spec(spec: Spec, number: int, slug: str) -> list[ProvenanceStep]:
    label = _("spec %(number)d v%(version)d") % {"number": number, "version": spec.version}
    address = reverse("specs:detail", args=[slug, number])
    return [ProvenanceStep(label, f"{address}?version={spec.version}")]


def _prompt_number(said: Verdict | CheckOutcome) -> int:
    number: int = said.rollout.prompt_revision.prompt.number
    return number
