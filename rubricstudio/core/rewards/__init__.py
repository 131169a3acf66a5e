"""Aggregators: rules that turn the verdicts of a group into rewards.

Every aggregator takes a :class:`Group` and gives :class:`GroupRewards`. Beside ``hybrid`` others
come as a file each, and as an entry of ``AGGREGATORS``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from rubricstudio.core.errors import SettingsError
from rubricstudio.core.rewards.advantages import AdvantageKind, AdvantageRule, advantages
from rubricstudio.core.rewards.alpha import AlphaKind, AlphaSchedule
from rubricstudio.core.rewards.breakdown import Breakdown, ComponentShare, ItemShare, break_down
from rubricstudio.core.rewards.cells import GLOBAL_KEY, CheckerErrorKind, CheckerErrorRule
from rubricstudio.core.rewards.groups import (
    Aggregator,
    Component,
    Flag,
    Group,
    GroupRewards,
    Member,
    MemberReward,
    NoReward,
)
from rubricstudio.core.rewards.hybrid import Hybrid, contributions
from rubricstudio.core.rewards.hybrid_settings import HybridSettings, PointsRule, Variant
from rubricstudio.core.rewards.leverage import (
    Inversion,
    Leverage,
    cost,
    inversions,
    leverage,
    pairs,
)
from rubricstudio.core.rewards.missing import MissingKind, MissingRule
from rubricstudio.core.rewards.repeats import RepeatRule, combine_repeats

AGGREGATORS: Final[Mapping[str, Callable[[Mapping[str, Any]], Aggregator]]] = {
    "hybrid": lambda data: Hybrid(HybridSettings.from_dict(data)),
}
"""How each aggregator is made from its settings, by name."""


def aggregator_from_dict(data: Mapping[str, Any]) -> Aggregator:
    """The aggregator that settings in a configuration or a bundle name.

    Raises :class:`SettingsError` for an unknown aggregator or wrong settings.
    """
    name = data.get("aggregator")
    if not isinstance(name, str) or name not in AGGREGATORS:
        known = ", ".join(AGGREGATORS)
        raise SettingsError(f"the aggregator {name!r:.40} is unknown; known are {known}")
    return AGGREGATORS[name](data)


__all__ = [
    "AGGREGATORS",
    "GLOBAL_KEY",
    "AdvantageKind",
    "AdvantageRule",
    "Aggregator",
    "AlphaKind",
    "AlphaSchedule",
    "Breakdown",
    "CheckerErrorKind",
    "CheckerErrorRule",
    "Component",
    "ComponentShare",
    "Flag",
    "Group",
    "GroupRewards",
    "Hybrid",
    "HybridSettings",
    "Inversion",
    "ItemShare",
    "Leverage",
    "Member",
    "MemberReward",
    "MissingKind",
    "MissingRule",
    "NoReward",
    "PointsRule",
    "RepeatRule",
    "Variant",
    "advantages",
    "aggregator_from_dict",
    "break_down",
    "combine_repeats",
    "contributions",
    "cost",
    "inversions",
    "leverage",
    "pairs",
]
