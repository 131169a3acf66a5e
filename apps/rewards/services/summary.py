"""The summary of a reward run: counts, mean and coverage, each with the rule it was counted by."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from apps.rewards.models import Reward
from rubricstudio.core.rewards import Flag
from rubricstudio.core.statistics import ratio_bootstrap

LEVEL: Final = 0.95
DRAWS: Final = 2000
SEED: Final = 0
MOST_PROBLEMS: Final = 20
INTERVAL_RULE: Final = "percentile bootstrap over prompts"
COUNTING_RULE: Final = "mean over scored rollouts; unscored ones are left out and counted by reason"


@dataclass
class PromptSum:
    """The rewards of one prompt."""

    total: float = 0.0
    count: int = 0


@dataclass
class Tally:
    """Counts a run while its groups go by."""

    groups: int = 0
    rollouts: int = 0
    coverage: float = 0.0
    unscored: Counter[str] = field(default_factory=Counter)
    flagged_groups: Counter[str] = field(default_factory=Counter)
    stale: int = 0
    other_judge: int = 0
    problems: list[str] = field(default_factory=list)
    prompts: dict[int, PromptSum] = field(default_factory=dict)

    def add(self, prompt_id: int, rewards: Iterable[Reward]) -> None:
        """Count the rewards of one group; its flags stand in each of them."""
        self.groups += 1
        flags: set[str] = set()
        for row in rewards:
            self.rollouts += 1
            self.coverage += row.coverage
            flags.update(row.flags)
            if row.reward is None:
                self.unscored[row.reason] += 1
            else:
                prompt = self.prompts.setdefault(prompt_id, PromptSum())
                prompt.total += row.reward
                prompt.count += 1
        self.flagged_groups.update(flags)

    def note(self, problem: str) -> None:
        """Keep a sentence about a group that cannot be scored; the first ones are enough."""
        if problem and len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)

    def as_dict(self) -> dict[str, Any]:
        """What is stored with the run; `mean` and `coverage` are null where there is nothing."""
        rewards = sum(prompt.count for prompt in self.prompts.values())
        total = math.fsum(prompt.total for prompt in self.prompts.values())
        return {
            "groups": self.groups,
            "rollouts": self.rollouts,
            "rewards": rewards,
            "unscored": sum(self.unscored.values()),
            "unscored_by_reason": dict(sorted(self.unscored.items())),
            "mean": total / rewards if rewards else None,
            "interval": self._interval(),
            "counting_rule": COUNTING_RULE,
            "coverage": self.coverage / self.rollouts if self.rollouts else None,
            "zero_signal_groups": self.flagged_groups[Flag.ZERO_SIGNAL.value],
            "flagged_groups": dict(sorted(self.flagged_groups.items())),
            "stale": self.stale,
            "other_judge": self.other_judge,
            "problems": self.problems,
        }

    def _interval(self) -> dict[str, Any] | None:
        bounds = mean_interval(
            [prompt.total for prompt in self.prompts.values()],
            [prompt.count for prompt in self.prompts.values()],
        )
        if bounds is None:
            return None
        low, high = bounds
        return {
            "level": LEVEL,
            "low": low,
            "high": high,
            "method": INTERVAL_RULE,
            "prompts": len(self.prompts),
            "draws": DRAWS,
            "seed": SEED,
        }


def mean_interval(totals: list[float], counts: list[int]) -> tuple[float, float] | None:
    """The interval of ``sum(totals) / sum(counts)`` when prompts are drawn again with replacement.

    Rollouts of one prompt are not independent, so prompts are what is drawn (methods.md 9.1).
    ``None`` with fewer than two prompts. Equal inputs give equal bounds.
    """
    found = ratio_bootstrap(totals, counts, seed=SEED, resamples=DRAWS, confidence=LEVEL)
    return None if found.low is None or found.high is None else (found.low, found.high)
