"""Rows of JSON as groups and rules: what ``rubricstudio fuse`` reads.

A row names an aggregator, its settings and the scores of one group. What is absent has the default
of its rule; what is unknown is refused by name, so that a misspelt setting never passes unseen.
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, NamedTuple

import numpy as np

from rubricstudio.core.bradley_terry import Floats
from rubricstudio.core.errors import CoreError, GroupError, SettingsError
from rubricstudio.core.fusion.baselines import (
    Focal,
    Gated,
    Gdpo,
    Points,
    Rule,
    Uniform,
    WeightedSum,
    ZScore,
)
from rubricstudio.core.fusion.bucketed import Bucketed
from rubricstudio.core.fusion.gear import Gear
from rubricstudio.core.fusion.hybrid import MatrixHybrid
from rubricstudio.core.fusion.matrix import (
    Critical,
    Edge,
    Fused,
    Numbers,
    PairScore,
    ScoreMatrix,
)
from rubricstudio.core.fusion.ordinal import Ordinal
from rubricstudio.core.fusion.pairwise import Pairwise
from rubricstudio.core.rewards.advantages import AdvantageRule
from rubricstudio.core.rewards.alpha import AlphaSchedule
from rubricstudio.core.rewards.missing import MissingRule

RULES: Final[Mapping[str, type[Rule]]] = {
    "ordinal": Ordinal,
    "weighted_sum": WeightedSum,
    "uniform": Uniform,
    "zscore": ZScore,
    "gdpo": Gdpo,
    "focal": Focal,
    "gear": Gear,
    "gated": Gated,
    "bucketed": Bucketed,
    "hybrid": MatrixHybrid,
    "points": Points,
    "pairwise": Pairwise,
}
"""Every rule by the name that rows and settings use."""

ADVANTAGES: Final = {"center": "plain", "scale": "center_scale", "std": "std"}
SHARED: Final = ("missing", "min_coverage", "advantage", "scale")
ROW_KEYS: Final = frozenset(
    {"aggregator", "scores", "weights", "settings", "global", "checks", "buckets", "essential"}
    | {"edges", "rules", "critical", "attributes", "lengths", "reference_length", "comparisons"}
)


class FusionRow(NamedTuple):
    """A group and the rule that it names."""

    rule: Rule
    group: ScoreMatrix


def read_row(data: Any) -> FusionRow:
    """The group and rule of a row; other keys are ignored.

    Raises :class:`CoreError` with a sentence for what cannot be read.
    """
    if not isinstance(data, Mapping):
        raise GroupError("a row is a JSON object with an aggregator and scores")
    name = data.get("aggregator")
    if not isinstance(name, str) or name not in RULES:
        raise SettingsError(f"the aggregator {name!r:.40} is unknown; known are {', '.join(RULES)}")
    settings = data.get("settings") or {}
    if not isinstance(settings, Mapping):
        raise SettingsError(f"settings is {settings!r:.40}; it has to be an object")
    return FusionRow(read_rule(name, settings), read_group(data))


def read_rule(name: str, settings: Mapping[str, Any]) -> Rule:
    """A rule from its flat settings; raises :class:`SettingsError` for an unknown one."""
    kind = RULES[name]
    names = {one.name.rstrip("_"): one.name for one in fields(kind)}
    own = [key for key in names if key not in ("missing", "advantage")]
    unknown = sorted(set(settings) - set(own) - set(SHARED))
    if unknown:
        known = ", ".join([*own, *SHARED])
        raise SettingsError(f"{name} has no setting {unknown[0]!r:.40}; it has {known}")
    given = {names[key]: _plain(settings[key]) for key in own if key in settings}
    if "alpha" in given:
        given["alpha"] = _alpha(given["alpha"])
    given["missing"] = _missing(settings)
    given["advantage"] = _advantage(settings)
    try:
        return kind(**given)
    except (TypeError, ValueError) as error:
        if isinstance(error, CoreError):
            raise
        raise SettingsError(f"the settings of {name} cannot be read: {error}") from None


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _alpha(value: Any) -> AlphaSchedule:
    if isinstance(value, Mapping):
        return AlphaSchedule.from_dict(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SettingsError(f"alpha is {value!r:.40}; it has to be a number of 0 or more")
    return AlphaSchedule.constant(value)


def _missing(settings: Mapping[str, Any]) -> MissingRule:
    given = {"kind": settings.get("missing"), "min_coverage": settings.get("min_coverage")}
    return MissingRule.from_dict({key: value for key, value in given.items() if value is not None})


def _advantage(settings: Mapping[str, Any]) -> AdvantageRule:
    kind = settings.get("advantage", "center")
    if kind not in ADVANTAGES:
        raise SettingsError(
            f"the advantage is {kind!r:.40}; it has to be one of {', '.join(ADVANTAGES)}"
        )
    scale = settings.get("scale")
    given = {"kind": ADVANTAGES[kind]} | ({} if scale is None else {"scale": scale})
    return AdvantageRule.from_dict(given)


def read_group(data: Mapping[str, Any]) -> ScoreMatrix:
    """The group of a row. Raises :class:`GroupError` for shapes or numbers that do not fit."""
    size = _size(data)
    scores = _table("scores", data.get("scores") or [], size)
    weights = data.get("weights")
    given = _numbers("weights", [1.0] * len(scores) if weights is None else weights)
    if len(given) != len(scores) or None in given:
        raise GroupError(f"there are {len(given)} weights for {len(scores)} criteria")
    reference = data.get("reference_length")
    return ScoreMatrix(
        size=size,
        scores=scores,
        weights=_array(given),
        overall=_optional(data, "global", lambda name, value: _array(_numbers(name, value))),
        checks=_optional(data, "checks", lambda name, value: _table(name, value, size)),
        buckets=tuple(str(one) for one in data.get("buckets") or ()),
        essential=tuple(bool(one) for one in data.get("essential") or ()),
        edges=tuple(_entry("an edge", Edge, one) for one in data.get("edges") or ()),
        rules=tuple(_place("a rule", one) for one in data.get("rules") or ()),
        critical=tuple(_critical(one) for one in data.get("critical") or ()),
        attributes=_optional(data, "attributes", _attributes),
        lengths=_optional(data, "lengths", lambda name, value: _array(_numbers(name, value))),
        reference_length=None if reference is None else _number("reference_length", reference),
        comparisons=tuple(_comparison(one) for one in data.get("comparisons") or ()),
    )


def _optional(
    data: Mapping[str, Any], name: str, read: Callable[[str, Any], Floats]
) -> Floats | None:
    value = data.get(name)
    return None if value is None else read(name, value)


def _size(data: Mapping[str, Any]) -> int:
    """How many responses a row is about, told by whatever it has of them."""
    for name in ("scores", "checks"):
        value = data.get(name)
        if isinstance(value, list) and value and isinstance(value[0], list):
            return len(value[0])
    for name in ("global", "attributes", "lengths"):
        value = data.get(name)
        if isinstance(value, list) and value:
            return len(value)
    compared = data.get("comparisons")
    if isinstance(compared, list) and compared:
        pairs = [_comparison(one) for one in compared]
        return 1 + max(max(one.first, one.second) for one in pairs)
    return 0


def _table(name: str, rows: Any, size: int) -> Floats:
    if not isinstance(rows, list):
        raise GroupError(f"{name} is {rows!r:.40}; it has to be a list of lists")
    read = [_numbers(name, row) for row in rows]
    for at, row in enumerate(read):
        if len(row) != size:
            raise GroupError(f"row {at} of {name} has {len(row)} entries for {size} responses")
    return np.array([_array(row) for row in read]).reshape(len(read), size)


def _attributes(name: str, rows: Any) -> Floats:
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise GroupError(f"{name} has to be a list with a list for each response")
    if len({len(row) for row in rows}) > 1:
        raise GroupError(f"{name} has rows of different length")
    return np.array([_array(_numbers(name, row)) for row in rows])


def _numbers(name: str, values: Any) -> Numbers:
    if not isinstance(values, list):
        raise GroupError(f"{name} is {values!r:.40}; it has to be a list of numbers")
    return tuple(None if value is None else _number(name, value) for value in values)


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool):
        return float(value)
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise GroupError(f"{name} has {value!r:.40}; it takes finite numbers, and null if missing")
    return float(value)


def _array(values: Sequence[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def _place(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise GroupError(f"{name} names {value!r:.40}; it has to be a place counted from 0")
    return value


def _entry(name: str, kind: type[Edge], value: Any) -> Edge:
    if not isinstance(value, list) or len(value) != 3:
        raise GroupError(f"{name} is {value!r:.60}; it has to be [from, to, kind]")
    return kind(_place(name, value[0]), _place(name, value[1]), str(value[2]))


def _critical(value: Any) -> Critical:
    if not isinstance(value, Mapping) or not {"criterion", "levels"} <= set(value):
        raise GroupError("a critical criterion needs its place as criterion, and its levels")
    levels = _numbers("levels", value["levels"])
    return Critical(_place("a critical criterion", value["criterion"]), levels)


def _comparison(value: Any) -> PairScore:
    if not isinstance(value, Mapping) or not {"i", "j", "score"} <= set(value):
        raise GroupError("a comparison needs the places i and j and a score")
    score = _number("the score of a comparison", value["score"])
    tier = str(value.get("tier", "important"))
    first, second = (_place("a comparison", value[name]) for name in ("i", "j"))
    return PairScore(first, second, str(value.get("criterion", "")), score, tier)


def fuse_rows(rows: Iterable[Any]) -> list[Fused | CoreError]:
    """One result for each row, in order; a row that cannot be read has its error instead.

    Rows with the same aggregator and settings are one batch, which GDPO and effects pooled by batch
    are fitted over.
    """
    results: list[Fused | CoreError | None] = []
    batches: dict[str, list[tuple[int, FusionRow]]] = {}
    for at, data in enumerate(rows):
        results.append(None)
        try:
            row = read_row(data)
        except CoreError as error:
            results[at] = error
        else:
            key = json.dumps([data["aggregator"], data.get("settings")], sort_keys=True)
            batches.setdefault(key, []).append((at, row))
    for batch in batches.values():
        for at, result in _fuse_batch(batch):
            results[at] = result
    return [one for one in results if one is not None]


def _fuse_batch(
    batch: Sequence[tuple[int, FusionRow]],
) -> Iterable[tuple[int, Fused | CoreError]]:
    rule = batch[0][1].rule
    try:
        made = rule.fuse([row.group for _, row in batch])
    except CoreError:
        # One group of a batch is at fault: tell which, and let the others have their results.
        yield from _one_by_one(batch)
        return
    yield from ((at, fused) for (at, _), fused in zip(batch, made, strict=True))


def _one_by_one(
    batch: Sequence[tuple[int, FusionRow]],
) -> Iterable[tuple[int, Fused | CoreError]]:
    good = []
    for at, row in batch:
        try:
            row.rule.fuse([row.group])
        except CoreError as error:
            yield at, error
        else:
            good.append((at, row))
    if good:
        made = good[0][1].rule.fuse([row.group for _, row in good])
        yield from ((at, fused) for (at, _), fused in zip(good, made, strict=True))
