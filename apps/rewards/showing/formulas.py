"""The formula of a reward, with its own numbers in the places of the letters."""

from __future__ import annotations

import math
from typing import NamedTuple

from django.utils.translation import gettext as _

from apps.rewards.services import Explanation, aggregator_of
from apps.rewards.wording import COMPONENTS
from rubricstudio.core.rewards import (
    AdvantageKind,
    Breakdown,
    Component,
    ComponentShare,
    Hybrid,
)

MINUS = "\N{MINUS SIGN}"


class Formula(NamedTuple):
    """What is computed, from what, and what came out; `note` says what else happened."""

    name: str
    expression: str
    result: str
    note: str = ""


def formulas(explained: Explanation) -> list[Formula]:
    """The reward from its components, each component from its items, and the advantage."""
    found = explained.breakdown
    if found is None or found.reward is None:
        return []
    lines = [
        _reward(found),
        *(_component(one) for one in found.components if one.score is not None),
    ]
    advantage = _advantage(explained)
    return [*lines, advantage] if advantage else lines


def _reward(found: Breakdown) -> Formula:
    present = [one for one in found.components if one.score is not None]
    if len(present) == 1:
        return Formula(
            _("reward"), str(COMPONENTS[present[0].component.value]), _fixed(found.reward)
        )
    terms = " + ".join(_term(one) for one in present)
    total = " + ".join(f"{one.coefficient:g}" for one in present)
    return Formula(_("reward"), f"({terms}) / ({total})", _fixed(found.reward))


def _term(one: ComponentShare) -> str:
    score = _fixed(one.score)
    return f"{one.coefficient:g} × {score}" if one.component is Component.GLOBAL else score


def _component(one: ComponentShare) -> Formula:
    name = str(COMPONENTS[one.component.value])
    earned, possible = one.earned, one.possible
    if one.component is Component.GLOBAL:
        earned, possible = 10 * earned, 10 * possible
    note = _("cut off at the ends of 0 to 1") if one.is_cut_off else ""
    return Formula(name, f"{_short(earned)} / {_short(possible)}", _fixed(one.score), note)


def _advantage(explained: Explanation) -> Formula | None:
    reward, mean = explained.reward, explained.mean
    aggregator = aggregator_of(reward.run.config)
    if reward.advantage is None or mean is None or not isinstance(aggregator, Hybrid):
        return None
    rule = aggregator.settings.advantage
    difference = f"({_fixed(reward.reward)} {MINUS} {_fixed(mean)})"
    deviation = _fixed(_deviation(explained, rule.ddof))
    expression = {
        AdvantageKind.CENTER_SCALE: f"{rule.scale:g} × {difference}",
        AdvantageKind.STD: f"{difference} / ({deviation} + {rule.eps:g})",
        AdvantageKind.PLAIN: difference,
    }[rule.kind]
    note = _("from the mean of the group")
    return Formula(_("advantage"), expression, _signed(reward.advantage), note)


def _deviation(explained: Explanation, ddof: int) -> float | None:
    numbers = [one.reward for one in explained.siblings if one.reward is not None]
    if len(numbers) <= ddof or explained.mean is None:
        return None
    squares = math.fsum((one - explained.mean) ** 2 for one in numbers)
    return math.sqrt(squares / (len(numbers) - ddof))


def _fixed(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}".replace("-", MINUS)


def _signed(value: float) -> str:
    shown = f"{value:+.3f}"
    return shown.replace("-", MINUS) if float(shown) else _fixed(0.0)


def _short(value: float) -> str:
    return f"{value:.6g}".replace("-", MINUS)
