"""How much the global score counts, over the steps of a training run.

Paper 000, section 3.3: ``alpha_t = max(0, 1 - t / T)`` with T = 800 in training, and a constant
``alpha = 1`` in offline evaluation. A stepped schedule is ours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from rubricstudio.core.errors import SettingsError
from rubricstudio.core.rewards.choices import Choice, read_kind, read_number


class AlphaKind(StrEnum):
    """The shape of a schedule."""

    CONSTANT = "constant"
    LINEAR = "linear"
    STEP = "step"


@dataclass(frozen=True)
class AlphaSchedule(Choice):
    """The weight of the global score at each rollout step.

    constant: ``value``. linear: ``value * max(0, 1 - t / decay)``. step: the value of the last of
    ``steps``, pairs of a first step and its value, that has begun; before them, ``value``.
    """

    NAME: ClassVar[str] = "alpha"

    kind: AlphaKind = AlphaKind.CONSTANT
    value: float = 1.0
    decay: float = 800.0
    steps: tuple[tuple[int, float], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", read_kind("the kind of alpha", AlphaKind, self.kind))
        object.__setattr__(self, "value", read_number("alpha", self.value, least=0))
        object.__setattr__(self, "decay", read_number("the decay of alpha", self.decay, least=1))
        object.__setattr__(self, "steps", tuple(_read_step(step) for step in self.steps))
        if (self.kind is AlphaKind.STEP) != bool(self.steps):
            raise SettingsError("alpha has steps exactly when its kind is step")
        begins = [begin for begin, _ in self.steps]
        if begins != sorted(set(begins)):
            raise SettingsError(f"the steps of alpha begin at {begins}; each has to begin later")

    @classmethod
    def constant(cls, value: float = 1.0) -> "AlphaSchedule":
        """The same weight at every step."""
        return cls(AlphaKind.CONSTANT, value)

    @classmethod
    def linear(cls, decay: float = 800.0, value: float = 1.0) -> "AlphaSchedule":
        """Down to 0 at step ``decay``, and 0 from there on."""
        return cls(AlphaKind.LINEAR, value, decay)

    @classmethod
    def stepped(cls, steps: Sequence[tuple[int, float]], value: float = 1.0) -> "AlphaSchedule":
        """``value`` until the first step begins, then the value of the last that has begun."""
        return cls(AlphaKind.STEP, value, steps=tuple(steps))

    @property
    def needs_step(self) -> bool:
        """Whether a reward cannot be computed without the step of its rollouts."""
        return self.kind is not AlphaKind.CONSTANT

    @property
    def reaches_zero(self) -> bool:
        """Whether there are steps at which the global score does not count."""
        values = [self.value, *(value for _, value in self.steps)]
        return self.kind is AlphaKind.LINEAR or min(values) == 0

    def at(self, step: int | None) -> float:
        """Alpha at a rollout step; raises :class:`SettingsError` where a step is needed."""
        if not self.needs_step:
            return self.value
        if step is None or isinstance(step, bool) or step < 0:
            raise SettingsError(
                f"alpha follows a {self.kind} schedule, so the reward needs the step of its "
                f"rollouts, a whole number from 0; got {step!r}"
            )
        if self.kind is AlphaKind.LINEAR:
            return self.value * max(0.0, 1.0 - step / self.decay)
        return next((value for begin, value in reversed(self.steps) if begin <= step), self.value)


def _read_step(step: Sequence[float]) -> tuple[int, float]:
    begin, value = step
    if isinstance(begin, bool) or not isinstance(begin, int) or begin < 0:
        raise SettingsError(f"a step of alpha begins at {begin!r}; it has to be a whole number")
    return begin, read_number("alpha", value, least=0)
