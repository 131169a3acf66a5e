"""From the rewards of a group to advantages.

Paper 000, section 3.4: ``A_i = 6 (R_i - mean R)``, without division by the deviation. Its
comparison variant (B.3) divides: ``A_i = (R_i - mean R) / (std R + eps)``. ``plain`` leaves
``R_i - mean R`` as it is. A group of one, and a group of equal rewards, has advantages 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, NamedTuple

from rubricstudio.core.rewards.choices import Choice, read_kind, read_number


class AdvantageKind(StrEnum):
    """How deviations from the mean are scaled."""

    CENTER_SCALE = "center_scale"
    STD = "std"
    PLAIN = "plain"


@dataclass(frozen=True)
class AdvantageRule(Choice):
    """How advantages are made.

    ``scale`` is for center_scale; ``eps`` and ``ddof`` (1: sample deviation) are for std. Rewards
    that differ by ``tie`` at most are equal.
    """

    NAME: ClassVar[str] = "advantage"

    kind: AdvantageKind = AdvantageKind.CENTER_SCALE
    scale: float = 6.0
    eps: float = 1e-4
    ddof: int = 1
    tie: float = 1e-12

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "kind", read_kind("the kind of advantage", AdvantageKind, self.kind)
        )
        object.__setattr__(self, "scale", read_number("the scale", self.scale, least=0))
        object.__setattr__(self, "eps", read_number("eps", self.eps, least=0))
        object.__setattr__(self, "ddof", int(read_number("ddof", self.ddof, least=0, most=1)))
        object.__setattr__(self, "tie", read_number("tie", self.tie, least=0))


class Advantages(NamedTuple):
    """Advantages in the order of the rewards, ``None`` where there is no reward.

    ``zero_signal`` says that at least two rewards stand there and all are equal.
    """

    values: tuple[float | None, ...]
    zero_signal: bool


def advantages(rewards: Sequence[float | None], rule: AdvantageRule) -> Advantages:
    """The advantages of a group; members without a reward take no part."""
    scored = [reward for reward in rewards if reward is not None]
    if not scored or max(scored) - min(scored) <= rule.tie:
        zeros = tuple(None if reward is None else 0.0 for reward in rewards)
        return Advantages(zeros, len(scored) > 1)
    mean = math.fsum(scored) / len(scored)
    factor = _factor(scored, mean, rule)
    values = [None if reward is None else factor * (reward - mean) for reward in rewards]
    return Advantages(tuple(values), zero_signal=False)


def _factor(scored: Sequence[float], mean: float, rule: AdvantageRule) -> float:
    if rule.kind is AdvantageKind.CENTER_SCALE:
        return rule.scale
    if rule.kind is AdvantageKind.PLAIN:
        return 1.0
    squares = math.fsum((reward - mean) ** 2 for reward in scored)
    return 1.0 / (math.sqrt(squares / (len(scored) - rule.ddof)) + rule.eps)
