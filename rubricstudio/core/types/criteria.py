"""Criteria: single requirements that a judge, a checker or a column answers."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

from rubricstudio.core.canonical import canonical_hash
from rubricstudio.core.errors import CoreError, SpecError
from rubricstudio.core.types.messages import Json

TERNARY_SCORES: Final[Mapping[str, float]] = {"yes": 1.0, "part": 0.5, "no": 0.0}
"""Paper 000, section 3.3: how the three answers are counted."""

BINARY_SCORES: Final[Mapping[str, float]] = {"yes": 1.0, "no": 0.0}


class Polarity(StrEnum):
    """Whether fulfilling the criterion is wanted or not."""

    POSITIVE = "positive"
    NEGATIVE = "negative"


class Scale(StrEnum):
    """How a criterion is answered.

    ternary yes/part/no, binary yes/no, levels 1..n mapped to [0, 1], points met or not for a
    signed number of points, pairwise -2..2 about two rollouts, global 0..10 about the whole.
    """

    TERNARY = "ternary"
    BINARY = "binary"
    LEVELS = "levels"
    POINTS = "points"
    PAIRWISE = "pairwise"
    GLOBAL = "global"


class Source(StrEnum):
    """Where a criterion's number comes from."""

    JUDGE = "judge"
    CHECKER = "checker"
    GLOBAL = "global"
    COLUMN = "column"
    REWARD_MODEL = "reward_model"


class ScopeKind(StrEnum):
    """Which part of a conversation is meant."""

    FINAL = "final"
    TURN = "turn"
    CONVERSATION = "conversation"


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of a conversation that a criterion is about.

    Written ``final`` (the last assistant turn), ``turn:3`` (the third assistant turn, counted
    from 1) or ``conversation``.
    """

    kind: ScopeKind = ScopeKind.FINAL
    turn: int | None = None

    def __post_init__(self) -> None:
        if (self.kind == ScopeKind.TURN) != (self.turn is not None):
            raise SpecError(f"a scope has a turn number exactly when it is a turn, got {self.turn}")
        if self.turn is not None and self.turn < 1:
            raise SpecError(f"turns are counted from 1, got {self.turn}")

    @classmethod
    @lru_cache(maxsize=256)
    def parse(cls, text: str) -> "Scope":
        """Read ``final``, ``turn:i`` or ``conversation``; raises :class:`SpecError`."""
        if text in (ScopeKind.FINAL, ScopeKind.CONVERSATION):
            return cls(ScopeKind(text))
        match = re.fullmatch(r"turn:([1-9][0-9]{0,5})", text)
        if match is None:
            raise SpecError(
                f"the scope {text!r:.60} is not final, turn:1, turn:2 … or conversation"
            )
        return cls(ScopeKind.TURN, int(match[1]))

    def __str__(self) -> str:
        return str(self.kind) if self.turn is None else f"turn:{self.turn}"


RANGES: Final[Mapping[Scale, tuple[float, float]]] = {
    Scale.PAIRWISE: (-2.0, 2.0),
    Scale.GLOBAL: (0.0, 10.0),
}
"""Natural ranges that are not the unit interval."""

UNIT: Final = (0.0, 1.0)


def _finite(value: Any) -> float | None:
    """A number as a float; ``None`` for what is no number, or none that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


@dataclass(frozen=True, slots=True)
class Criterion:
    """One independently judgeable requirement.

    ``weight`` is importance, finite and above 0; what is undesirable has a negative ``polarity``.
    ``levels`` is the number of levels of the scale ``levels`` and ``None`` otherwise. ``lo`` and
    ``hi`` bound the scores of a verdict where they differ from the natural range of the scale.
    ``source_name`` names the column or reward model that gives the number. ``anchors`` tell the
    judge what each answer means. Some aggregators use ``bucket``, ``tier`` and ``essential``.
    """

    key: str
    text: str
    weight: float = 1.0
    polarity: Polarity = Polarity.POSITIVE
    scale: Scale = Scale.TERNARY
    levels: int | None = None
    lo: float | None = None
    hi: float | None = None
    bucket: str = ""
    essential: bool | None = None
    tier: str = ""
    scope: Scope = Scope()
    source: Source = Source.JUDGE
    source_name: str = ""
    anchors: Mapping[str, str] = field(default_factory=dict, hash=False)
    rationale: str = ""
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._check_words()
        self._check_weight()
        self._check_scale()
        object.__setattr__(self, "anchors", dict(self.anchors))
        object.__setattr__(self, "tags", tuple(self.tags))

    def _check_words(self) -> None:
        if not isinstance(self.key, str) or not self.key.strip():
            raise SpecError("a criterion has no key; give it a short name that stays the same")
        if not isinstance(self.text, str) or not self.text.strip():
            raise SpecError(f"the criterion {self.key!r} has no text; say what it requires")
        named = self.source in (Source.COLUMN, Source.REWARD_MODEL)
        if named != bool(self.source_name):
            raise SpecError(
                f"the criterion {self.key!r} with the source {self.source} "
                + ("needs the name of it" if named else "takes no source name")
            )

    def _check_weight(self) -> None:
        weight = _finite(self.weight)
        if weight is None or weight <= 0:
            raise SpecError(
                f"the criterion {self.key!r} has the weight {self.weight!r}; a weight is a finite "
                "number above 0, and what is undesirable has a negative polarity instead"
            )
        object.__setattr__(self, "weight", weight)

    def _check_scale(self) -> None:
        if (self.scale == Scale.LEVELS) != (self.levels is not None):
            raise SpecError(
                f"the criterion {self.key!r} has a number of levels exactly when its scale is "
                f"levels, got the scale {self.scale} with {self.levels}"
            )
        if self.levels is not None:
            self._check_levels()
        if self.lo is not None or self.hi is not None:
            self._check_range()

    def _check_levels(self) -> None:
        levels = _finite(self.levels)
        if levels is None or levels < 2 or not levels.is_integer():
            raise SpecError(
                f"the criterion {self.key!r} needs at least 2 levels, got {self.levels!r}"
            )
        object.__setattr__(self, "levels", int(levels))

    def _check_range(self) -> None:
        natural = RANGES.get(self.scale, UNIT)
        given = (
            natural[0] if self.lo is None else self.lo,
            natural[1] if self.hi is None else self.hi,
        )
        low, high = map(_finite, given)
        if low is None or high is None or low >= high:
            raise SpecError(
                f"the scores of the criterion {self.key!r} lie between {given[0]!r:.40} and "
                f"{given[1]!r:.40}; the first has to be the smaller number, both finite"
            )
        # One criterion is one value: a range that says what the scale says anyway is dropped, any
        # other stands there whole, in floats.
        own = None if (low, high) == natural else (low, high)
        object.__setattr__(self, "lo", own and own[0])
        object.__setattr__(self, "hi", own and own[1])

    @property
    def low(self) -> float:
        """The smallest score of a verdict on this criterion."""
        return RANGES.get(self.scale, UNIT)[0] if self.lo is None else self.lo

    @property
    def high(self) -> float:
        """The largest score of a verdict on this criterion."""
        return RANGES.get(self.scale, UNIT)[1] if self.hi is None else self.hi

    def content_hash(self) -> str:
        """A sha256 of all that a verdict on this criterion depends on.

        That is the text, the scale with its range, the scope, the source and the anchors. It is
        not the key, the weight, the polarity, the bucket or the tier: those act on a verdict
        after it is given, so stored verdicts stay valid when they change.
        """
        return canonical_hash(
            {
                "text": self.text,
                "scale": self.scale,
                "levels": self.levels,
                "range": [self.low, self.high],
                "scope": str(self.scope),
                "source": self.source,
                "source_name": self.source_name,
                "anchors": self.anchors,
            }
        )

    def to_dict(self) -> dict[str, Json]:
        """The form written into a spec line; every key is always there."""
        return {
            "key": self.key,
            "text": self.text,
            "weight": self.weight,
            "polarity": self.polarity.value,
            "scale": self.scale.value,
            "levels": self.levels,
            "lo": self.low,
            "hi": self.high,
            "bucket": self.bucket,
            "essential": self.essential,
            "tier": self.tier,
            "scope": str(self.scope),
            "source": self.source.value,
            "source_name": self.source_name,
            "anchors": dict(self.anchors),
            "rationale": self.rationale,
            "tags": list(self.tags),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Criterion":
        """Read ``to_dict``'s form; absent keys take their defaults, unknown ones are refused."""
        unknown = data.keys() - _NAMES
        if unknown:
            raise SpecError(f"a criterion has no {min(unknown)!r}; known are {', '.join(_NAMES)}")
        if "key" not in data or "text" not in data:
            raise SpecError("a criterion needs a key and a text")
        values = dict(data)
        try:
            for name, read in _READERS.items():
                if name in values:
                    values[name] = read(values[name])
            return cls(**values)
        except CoreError:
            raise
        except (TypeError, ValueError) as error:
            raise SpecError(f"the criterion {data['key']!r:.60} cannot be read: {error}") from None


# Not looked up for each criterion anew: a bundle has a hundred thousand of them.
_NAMES: Final = dict.fromkeys(one.name for one in fields(Criterion)).keys()
_READERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "polarity": Polarity,
    "scale": Scale,
    "source": Source,
    "scope": Scope.parse,
    "tags": tuple,
}
