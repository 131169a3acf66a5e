"""The criteria of a spec as a tree: buckets with their share of the rubric, criteria in each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from apps.specs.models import Criterion


@dataclass(frozen=True)
class ShownCriterion:
    """A criterion; `share` is of the whole rubric, `bar` of the heaviest criterion, both 0 to 1."""

    row: Criterion
    share: float
    bar: float

    @property
    def key(self) -> str:
        return self.row.key


@dataclass(frozen=True)
class Bucket:
    """A quality dimension with its criteria; without a name where criteria have none."""

    name: str
    weight: float
    share: float
    criteria: list[ShownCriterion]

    @property
    def title(self) -> str:
        return self.name.replace("_", " ").capitalize() if self.name else _("Criteria")


def rubric_of(criteria: Sequence[Criterion]) -> list[Bucket]:
    """The buckets in the order in which they first come; a share is of the sum of all weights."""
    total = sum(one.weight for one in criteria) or 1.0
    heaviest = max((one.weight for one in criteria), default=1.0)
    names = dict.fromkeys(one.bucket for one in criteria)
    buckets = []
    for name in names:
        rows = [one for one in criteria if one.bucket == name]
        weight = sum(one.weight for one in rows)
        shown = [ShownCriterion(one, one.weight / total, one.weight / heaviest) for one in rows]
        buckets.append(Bucket(name, weight, weight / total, shown))
    return buckets


def find_criterion(buckets: Iterable[Bucket], key: str) -> ShownCriterion | None:
    """The criterion of this key; the first one for no key."""
    every = [one for bucket in buckets for one in bucket.criteria]
    if not key:
        return next(iter(every), None)
    return next((one for one in every if one.key == key), None)


def facts_of(criterion: Criterion) -> list[tuple[str, str]]:
    """What is said of a criterion beside its text, in words; what is not said is left out."""
    named = criterion.extra.get("source_name", "")
    source = f"{source_words(criterion.source)} {named}".strip()
    facts = [
        (_("Bucket"), criterion.bucket.replace("_", " ")),
        (_("Importance"), importance_words(criterion)),
        (_("Polarity"), criterion.get_polarity_display()),
        (_("Scale"), scale_words(criterion)),
        (_("About"), scope_words(criterion.scope)),
        (_("Number from"), source),
        (_("Tier"), criterion.tier),
        (_("Tags"), ", ".join(criterion.extra.get("tags", []))),
    ]
    return [(label, words) for label, words in facts if words]


def importance_words(criterion: Criterion) -> str:
    if criterion.essential is None:
        return ""
    return _("Essential") if criterion.essential else _("Optional")


def scale_words(criterion: Criterion) -> str:
    words = {
        "ternary": _("yes, part or no"),
        "binary": _("yes or no"),
        "levels": _("levels 1 to %(levels)s") % {"levels": criterion.levels},
        "points": _("met or not, for points"),
        "pairwise": _("of two responses, which is better"),
        "global": _("0 to 10, of the whole response"),
    }
    scores = _("scores %(lo)g to %(hi)g") % {"lo": criterion.lo, "hi": criterion.hi}
    return f"{words.get(criterion.scale, criterion.scale)}, {scores}"


def scope_words(scope: str) -> str:
    kind, _colon, turn = scope.partition(":")
    words = {
        "final": _("the last assistant turn"),
        "conversation": _("the whole conversation"),
        "turn": _("assistant turn %(turn)s") % {"turn": turn},
    }
    return words.get(kind, scope)


def source_words(source: str) -> str:
    words = {
        "judge": _("the judge"),
        "checker": _("a checker"),
        "global": _("the global score"),
        "column": _("the column"),
        "reward_model": _("the reward model"),
    }
    return words.get(source, source)
