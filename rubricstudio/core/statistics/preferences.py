"""Win, tie, lose: from calls in both orders and several judges to one label, and position bias.

Labels are told from the side of the policy that is studied. An unscored call is ``None``; it never
becomes a tie.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rubricstudio.core.statistics.figures import Figure, undefined
from rubricstudio.core.statistics.intervals import sign_test


class Preference(StrEnum):
    """Which side is better."""

    WIN = "win"
    TIE = "tie"
    LOSE = "lose"

    @property
    def sign(self) -> int:
        """1 for a win, 0 for a tie, -1 for a loss."""
        return {"win": 1, "tie": 0, "lose": -1}[self.value]

    @property
    def flipped(self) -> "Preference":
        """The same judgment told from the other side."""
        return preference_of(-self.sign)


def preference_of(score: float) -> Preference:
    """The label of a signed score: above 0 a win, below 0 a loss."""
    return Preference.WIN if score > 0 else Preference.LOSE if score < 0 else Preference.TIE


class OrderRule(StrEnum):
    """What two calls in both orders make together.

    ``strict`` (OpenRS): a win or a loss only where both calls say so. ``lenient`` (paper 000,
    Table 16): a tie beside a decision leaves the decision; a win beside a loss is a tie.
    """

    STRICT = "strict"
    LENIENT = "lenient"

    def combine(self, one: Preference | None, other: Preference | None) -> Preference | None:
        """The label of both orders, each told from the same side; unscored if one of them is."""
        if one is None or other is None:
            return None
        total = one.sign + other.sign
        if self is OrderRule.STRICT:
            return preference_of(total) if abs(total) == 2 else Preference.TIE
        return preference_of(total)


def majority(labels: Sequence[Preference | None]) -> Preference | None:
    """The label that most gave, a tie where two or more are level; unscored ones do not vote.

    ``None`` when nobody voted (paper 000, Table 16; level votes as ties are our reading).
    """
    votes = Counter(label for label in labels if label is not None)
    if not votes:
        return None
    most = max(votes.values())
    leaders = [label for label, count in votes.items() if count == most]
    return leaders[0] if len(leaders) == 1 else Preference.TIE


@dataclass(frozen=True, slots=True)
class PreferenceCounts:
    """A win / tie / lose table row; rates that treat ties differently stand side by side."""

    wins: int
    ties: int
    losses: int
    unscored: int = 0

    @property
    def scored(self) -> int:
        """Pairs with a label."""
        return self.wins + self.ties + self.losses

    @property
    def decided_rate(self) -> Figure:
        """W / (W + L)."""
        return self._rate(self.wins, self.wins + self.losses, "no pair was decided")

    @property
    def win_rate(self) -> Figure:
        """W / N."""
        return self._rate(self.wins, self.scored, "no pair was scored")

    @property
    def half_credit_rate(self) -> Figure:
        """(W + T/2) / N."""
        return self._rate(self.wins + self.ties / 2, self.scored, "no pair was scored")

    @property
    def p_value(self) -> float | None:
        """The exact sign test of wins against losses, for pairs of as many different prompts."""
        return sign_test(self.wins, self.losses)

    def _rate(self, above: float, below: int, reason: str) -> Figure:
        left_out = self.scored + self.unscored - below
        if not below:
            return undefined(reason, left_out=left_out)
        return Figure(above / below, below, left_out)


def count_preferences(labels: Sequence[Preference | None]) -> PreferenceCounts:
    """How often each label was given."""
    votes = Counter(labels)
    return PreferenceCounts(
        votes[Preference.WIN], votes[Preference.TIE], votes[Preference.LOSE], votes[None]
    )


@dataclass(frozen=True, slots=True)
class PositionBias:
    """What the order of showing did, over pairs that were judged in both orders.

    ``opposite`` is the share whose two calls name opposite winners. ``first_shown`` counts, over
    both calls, how often the response shown first won, ``second_shown`` the other; ``p_value`` is
    their exact sign test over the opposite pairs alone, where only the order can have decided.
    """

    opposite: Figure
    first_shown: int
    second_shown: int
    p_value: float | None


def position_bias(
    calls: Sequence[tuple[Preference | None, Preference | None]],
) -> PositionBias:
    """Position bias of a judge.

    Each pair has the call in which the studied policy's response was shown first, and the one in
    which it was shown second, both told from its side. Pairs with an unscored call are left out.
    """
    both = [(one, other) for one, other in calls if one is not None and other is not None]
    left_out = len(calls) - len(both)
    share = undefined("no pair was scored in both orders", left_out=left_out)
    opposite = [one for one, other in both if one.sign * other.sign < 0]
    if both:
        share = Figure(len(opposite) / len(both), len(both), left_out)
    first = sum((one.sign > 0) + (other.sign < 0) for one, other in both)
    second = sum((one.sign < 0) + (other.sign > 0) for one, other in both)
    to_first = sum(one is Preference.WIN for one in opposite)
    return PositionBias(share, first, second, sign_test(to_first, len(opposite) - to_first))
