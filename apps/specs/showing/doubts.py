"""What a reviewer should look at before approving: constraints that do not go together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from django.utils.translation import gettext as _

from apps.specs.models import Constraint
from apps.specs.showing.words import ShownConstraint
from rubricstudio.core.checkers.contradictions import contradictions
from rubricstudio.core.checkers.extract.comparing import disagree


def doubts_of(constraints: Sequence[ShownConstraint]) -> list[str]:
    """Sentences on pairs that no response satisfies, and on words that were read in two ways."""
    checked = [one for one in constraints if not one.row.refused]
    found = contradictions(one.row.as_value() for one in checked)
    excluding = {(one.first, one.second): one.sentence for one in found}
    return [
        *(
            _("Constraints %(first)d and %(second)d exclude each other: %(why)s.")
            % {"first": checked[at].number, "second": checked[other].number, "why": why}
            for (at, other), why in excluding.items()
        ),
        *(
            _(
                "Rules and the model read the same words differently in constraints %(first)d and "
                "%(second)d: keep the right one."
            )
            % {"first": one.number, "second": other.number}
            for (at, one), (beside, other) in combinations(enumerate(checked), 2)
            if (at, beside) not in excluding and _read_differently(one.row, other.row)
        ),
    ]


def _read_differently(one: Constraint, other: Constraint) -> bool:
    readers = {one.origin, other.origin}
    by_both = readers == {Constraint.Origin.RULES, Constraint.Origin.MODEL}
    return by_both and disagree(one.as_value(), other.as_value())
