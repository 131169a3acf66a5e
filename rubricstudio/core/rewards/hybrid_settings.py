"""What decides a hybrid reward beside the verdicts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Final

from rubricstudio.core.errors import SettingsError
from rubricstudio.core.rewards.advantages import AdvantageRule
from rubricstudio.core.rewards.alpha import AlphaSchedule
from rubricstudio.core.rewards.cells import CheckerErrorRule
from rubricstudio.core.rewards.choices import Choice, read_kind
from rubricstudio.core.rewards.groups import Component
from rubricstudio.core.rewards.missing import MissingRule
from rubricstudio.core.rewards.repeats import RepeatRule
from rubricstudio.core.types import Json

NAME: Final = "hybrid"
VERSION: Final = 1


class Variant(StrEnum):
    """Which components make the reward: Rubric, Global score, Code (paper 000, Table 10)."""

    G = "G"
    R = "R"
    GC = "G+C"
    RC = "R+C"
    RG = "R+G"
    RGC = "R+G+C"

    @property
    def components(self) -> frozenset[Component]:
        """The components that the letters stand for."""
        letters = {"R": Component.RUBRIC, "G": Component.GLOBAL, "C": Component.CODE}
        return frozenset(letters[letter] for letter in self.split("+"))


class PointsKind(StrEnum):
    """Out of how many points a rubric in points is counted."""

    POSITIVE_SUM = "positive_sum"


@dataclass(frozen=True)
class PointsRule(Choice):
    """Points earned over the positive points, negative ones subtracted, as HealthBench counts.

    ``clip`` keeps the share in [0, 1].
    """

    NAME: ClassVar[str] = "points"

    kind: PointsKind = PointsKind.POSITIVE_SUM
    clip: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", read_kind("the kind of points", PointsKind, self.kind))
        if not isinstance(self.clip, bool):
            raise SettingsError(f"clip is {self.clip!r:.40}; it has to be true or false")


@dataclass(frozen=True)
class HybridSettings:
    """Everything that decides a hybrid reward beside the verdicts.

    ``components`` and ``alpha`` are the paper's; the other choices are rules that it leaves open,
    each with its name and version.
    """

    components: Variant = Variant.RGC
    alpha: AlphaSchedule = field(default_factory=AlphaSchedule)
    advantage: AdvantageRule = field(default_factory=AdvantageRule)
    missing: MissingRule = field(default_factory=MissingRule)
    checker_error: CheckerErrorRule = field(default_factory=CheckerErrorRule)
    points: PointsRule = field(default_factory=PointsRule)
    repeats: RepeatRule = field(default_factory=RepeatRule)

    def __post_init__(self) -> None:
        variant = read_kind("the setting components", Variant, self.components)
        object.__setattr__(self, "components", variant)

    def to_dict(self) -> dict[str, Json]:
        """Every choice in full, under the name and version of the aggregator."""
        choices = {name: getattr(self, name).to_dict() for name in _CHOICES}
        return {
            "aggregator": NAME,
            "version": VERSION,
            "components": self.components.value,
            **choices,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "HybridSettings":
        """Read ``to_dict``'s form; absent choices take their defaults.

        Raises :class:`SettingsError` for another aggregator or version, or an unknown choice.
        """
        named = (data.get("aggregator", NAME), data.get("version", VERSION))
        if named != (NAME, VERSION):
            raise SettingsError(f"these are settings of {named}, not of {(NAME, VERSION)}")
        unknown = sorted(set(data) - {"aggregator", "version", "components", *_CHOICES})
        if unknown:
            raise SettingsError(f"the hybrid reward has no setting {unknown[0]!r:.60}")
        choices: dict[str, Any] = {
            name: choice.from_dict(data[name]) for name, choice in _CHOICES.items() if name in data
        }
        return cls(components=data.get("components", Variant.RGC), **choices)


_CHOICES: Final[Mapping[str, type[Choice]]] = {
    "alpha": AlphaSchedule,
    "advantage": AdvantageRule,
    "missing": MissingRule,
    "checker_error": CheckerErrorRule,
    "points": PointsRule,
    "repeats": RepeatRule,
}
