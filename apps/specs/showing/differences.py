"""What differs between two versions of a spec: criterion by criterion, constraint by constraint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from apps.specs.models import Constraint, Criterion, Spec
from apps.specs.showing.rubric import facts_of
from apps.specs.showing.words import ShownConstraint, shown_constraints

ADDED, REMOVED, CHANGED, SAME = "added", "removed", "changed", "same"


@dataclass(frozen=True)
class CriterionChange:
    """A criterion that was added, removed or changed; `facts` holds label, before and after."""

    key: str
    kind: str
    before: str
    after: str
    facts: list[tuple[str, str, str]]
    stale: bool

    @property
    def kind_words(self) -> str:
        return {ADDED: _("added"), REMOVED: _("removed"), CHANGED: _("changed")}[self.kind]


@dataclass(frozen=True)
class Differences:
    """From one version to another; `same` counts the criteria that stayed as they were."""

    criteria: list[CriterionChange]
    same: int
    added: list[ShownConstraint]
    removed: list[ShownConstraint]
    label: tuple[str, str] | None

    @property
    def any(self) -> bool:
        return bool(self.criteria or self.added or self.removed or self.label)


def differences(before: Spec, after: Spec) -> Differences:
    """Both with their criteria and constraints; a criterion is the same one under the same key."""
    old = {one.key: one for one in before.criteria.all()}
    new = {one.key: one for one in after.criteria.all()}
    totals = _total(list(old.values())), _total(list(new.values()))
    changes = [_change(key, old.get(key), new.get(key), totals) for key in {**old, **new}]
    kept = list(before.constraints.all()), list(after.constraints.all())
    return Differences(
        criteria=[one for one in changes if one is not None],
        same=sum(one is None for one in changes),
        added=_beyond(kept[1], kept[0]),
        removed=_beyond(kept[0], kept[1]),
        label=(before.label, after.label) if before.label != after.label else None,
    )


def _total(criteria: Sequence[Criterion]) -> float:
    return sum(one.weight for one in criteria) or 1.0


def _change(
    key: str, old: Criterion | None, new: Criterion | None, totals: tuple[float, float]
) -> CriterionChange | None:
    """None where nothing differs."""
    before, after = _facts(old, totals[0]), _facts(new, totals[1])
    if old and new and old.weight == new.weight:
        # Its share moved with the weights of others; that is told of them.
        before[_("Weight")] = after[_("Weight")]
    facts = [
        (label, before.get(label, "–"), after.get(label, "–"))
        for label in {**before, **after}
        if before.get(label) != after.get(label)
    ]
    texts = old.text if old else "", new.text if new else ""
    if old and new and not facts and texts[0] == texts[1]:
        return None
    kind = ADDED if old is None else REMOVED if new is None else CHANGED
    stale = bool(old and new and old.content_sha256 != new.content_sha256)
    return CriterionChange(key, kind, *texts, facts if kind == CHANGED else [], stale)


def _facts(criterion: Criterion | None, total: float) -> dict[str, str]:
    if criterion is None:
        return {}
    share = _("%(weight)g, %(share).1f %% of the rubric") % {
        "weight": criterion.weight,
        "share": 100 * criterion.weight / total,
    }
    anchors = "; ".join(f"{name}: {words}" for name, words in criterion.anchors.items())
    return {
        _("Weight"): share,
        **dict(facts_of(criterion)),
        **({_("Answers"): anchors} if anchors else {}),
    }


def _beyond(some: Sequence[Constraint], others: Sequence[Constraint]) -> list[ShownConstraint]:
    """Those of the first that the second lacks."""
    known = {one.content_sha256 for one in others}
    return [one for one in shown_constraints(some) if one.row.content_sha256 not in known]
