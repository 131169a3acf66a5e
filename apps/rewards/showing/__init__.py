"""How rewards are shown: as bars of their components, as formulas, item by item."""

from apps.rewards.showing.bars import RewardLine, reward_line, reward_lines
from apps.rewards.showing.formulas import Formula, formulas
from apps.rewards.showing.items import ShownItem, ShownSection, shown_sections

__all__ = [
    "Formula",
    "RewardLine",
    "ShownItem",
    "ShownSection",
    "formulas",
    "reward_line",
    "reward_lines",
    "shown_sections",
]
