"""Editing the constraints of a spec one by one: each edit saves the next version.

Who edits says which version they saw. When somebody saved another one meanwhile, the edit goes on
top of it as long as the constraint that is edited is still the same there; otherwise it is a
conflict, and the person chooses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.activity.errors import BadInput, Conflict
from apps.specs.models import Constraint as ConstraintRow
from apps.specs.models import Spec
from apps.specs.services.drafts import Draft, DraftConstraint, Origin
from apps.specs.services.saving import save_edited
from rubricstudio.core.types import Constraint

MOST_CONSTRAINTS = 100
"""More than a spec of a person or of a published set ever has."""


@transaction.atomic
def add_constraint(spec: Spec, *, constraint: Constraint, author: User, reason: str = "") -> Spec:
    """The next version with one constraint more, at the end.

    Raises `BadInput` for one that no checker answers, that is there already or one too many.
    """
    newest = _newest(spec)
    kept = _drafts(newest)
    if len(kept) >= MOST_CONSTRAINTS:
        raise BadInput(
            _("A spec has %(most)d constraints at most: remove one first.")
            % {"most": MOST_CONSTRAINTS}
        )
    added = _checked(constraint, Origin.PERSON)
    _refuse_twins(added, kept)
    return _save(newest, [*kept, added], author, reason)


@transaction.atomic
def change_constraint(
    spec: Spec, *, number: int, constraint: Constraint, author: User, reason: str = ""
) -> Spec:
    """The next version with another constraint in the place of the one with this number.

    Numbers count from 1, in the version that the person saw; it is given back where nothing
    changes. Raises as `add_constraint`, and `Conflict` with `theirs` (the number of what stands
    there now in the newest version, None for nothing) when somebody else changed it meanwhile.
    """
    newest = _newest(spec)
    place = _place_in(newest, _row(spec, number))
    kept = _drafts(newest)
    before = kept[place]
    changed = _checked(constraint, before.origin)
    if changed == before:
        return newest
    if changed.value.content_hash() != before.value.content_hash():
        changed = replace(changed, origin=Origin.PERSON)
        _refuse_twins(changed, [*kept[:place], *kept[place + 1 :]])
    return _save(newest, [*kept[:place], changed, *kept[place + 1 :]], author, reason)


@transaction.atomic
def remove_constraint(spec: Spec, *, number: int, author: User, reason: str = "") -> Spec:
    """The next version without the constraint of this number. Raises as `change_constraint`."""
    newest = _newest(spec)
    place = _place_in(newest, _row(spec, number))
    kept = _drafts(newest)
    return _save(newest, [*kept[:place], *kept[place + 1 :]], author, reason)


@transaction.atomic
def restore_constraints(spec: Spec, *, author: User, reason: str = "") -> Spec:
    """The next version with the constraints of an earlier one; the rest stays as it is by now."""
    newest = _newest(spec)
    earlier, now = _drafts(spec), _drafts(newest)
    return newest if earlier == now else _save(newest, earlier, author, reason)


def _newest(spec: Spec) -> Spec:
    """The newest version of the same prompt revision; saving on top of it may still conflict."""
    versions = Spec.objects.filter(prompt_revision_id=spec.prompt_revision_id)
    found = versions.select_related("prompt_revision__prompt__project").order_by("-version")
    newest = found.first()
    return newest or spec


def _row(spec: Spec, number: int) -> ConstraintRow:
    row = spec.constraints.filter(position=number - 1).first()
    if row is None:
        raise BadInput(
            _("Version %(version)d has no constraint %(number)d.")
            % {"version": spec.version, "number": number}
        )
    return row


def _place_in(newest: Spec, row: ConstraintRow) -> int:
    """Where the constraint stands in the newest version."""
    rows = list(newest.constraints.all())
    same = [
        place
        for place, one in enumerate(rows)
        if (one.content_sha256, one.evidence) == (row.content_sha256, row.evidence)
    ]
    if not same:
        theirs = row.position + 1 if row.position < len(rows) else None
        raise Conflict(
            _("Somebody saved version %(version)d and changed this constraint meanwhile.")
            % {"version": newest.version},
            theirs=theirs,
            version=newest.version,
        )
    return min(same, key=lambda place: abs(place - row.position))


def _drafts(spec: Spec) -> list[DraftConstraint]:
    return [DraftConstraint.kept(one) for one in spec.constraints.select_related("checker")]


def _checked(constraint: Constraint, origin: str) -> DraftConstraint:
    checked = DraftConstraint.of(constraint, origin=origin)
    if checked.refused:
        raise BadInput(_("It cannot be checked: %(why)s.") % {"why": checked.refused})
    return checked


def _refuse_twins(one: DraftConstraint, others: Sequence[DraftConstraint]) -> None:
    asked = one.value.content_hash()
    for number, other in enumerate(others, 1):
        if other.value.content_hash() == asked:
            raise BadInput(
                _("Constraint %(number)d asks for the same already: it would count twice.")
                % {"number": number}
            )


def _save(newest: Spec, constraints: Sequence[DraftConstraint], author: User, reason: str) -> Spec:
    draft = Draft(
        criteria=tuple(one.as_value() for one in newest.criteria.all()),
        constraints=tuple(constraints),
        label=newest.label,
        dialect=newest.dialect,
        method=newest.method,
    )
    return save_edited(newest, draft=draft, author=author, reason=reason)
