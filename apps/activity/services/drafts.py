"""Drafts: what a person typed is kept before it is saved, and no tab overwrites another's unseen.

Whoever saves a draft says which version they knew (0: none). When another tab or machine of the
same person has saved meanwhile, that is a Conflict which carries both texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Model
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.activity import selectors
from apps.activity.errors import BadInput, Conflict
from apps.activity.models import Draft

LONGEST_KEY = 200
LONGEST_BODY = 1_000_000
"""Characters of all texts of a draft together."""

Body = Mapping[str, str | Sequence[str]]


@transaction.atomic
def save_draft(*, user: Model, project: Model, key: str, body: Body, version: int) -> Draft:
    """Keep what was typed; `version` is the one that the person saw last, 0 for none.

    Raises Conflict with `mine`, `theirs`, `version` and `saved_at` when another one is there, and
    BadInput for a draft that cannot be kept.
    """
    _check(key, body)
    found = selectors.draft_of(user, project, key).select_for_update().first()
    if found is None:
        return _created(user, project, key, body, version)
    if found.version > version and found.body != dict(body):
        raise _conflict(found, body)
    found.body, found.saved_at = dict(body), timezone.now()
    # Above both: a page that is left may have counted a save that never arrived.
    found.version = max(found.version, version) + 1
    found.save(update_fields=["body", "version", "saved_at"])
    return found


def drop_draft(*, user: Model, project: Model, key: str) -> bool:
    """Forget a draft, since it was saved or is not wanted; whether there was one."""
    deleted, _each = selectors.draft_of(user, project, key).delete()
    return bool(deleted)


def _created(user: Model, project: Model, key: str, body: Body, version: int) -> Draft:
    """The version goes on even where the draft is gone, so that no two states share one."""
    draft, created = Draft.objects.get_or_create(
        user_id=user.pk,
        project_id=project.pk,
        key=key,
        defaults={"body": dict(body), "version": version + 1, "saved_at": timezone.now()},
    )
    if not created:
        raise _conflict(draft, body)
    return draft


def _conflict(found: Draft, body: Body) -> Conflict:
    return Conflict(
        _("This draft was changed in another window meanwhile: choose which text to keep."),
        mine=dict(body),
        theirs=found.body,
        version=found.version,
        saved_at=found.saved_at.isoformat(),
    )


def _check(key: str, body: Any) -> None:
    if not key or len(key) > LONGEST_KEY or not key.isprintable():
        raise BadInput(
            _("The key of a draft has 1 to %(longest)d printable characters.")
            % {"longest": LONGEST_KEY}
        )
    size = sum(len(name) + _characters(value) for name, value in body.items())
    if size > LONGEST_BODY:
        raise BadInput(
            _("The draft has %(size)d characters and may have %(longest)d: shorten it.")
            % {"size": size, "longest": LONGEST_BODY}
        )


def _characters(value: str | Sequence[str]) -> int:
    texts = [value] if isinstance(value, str) else value
    if any("\0" in text for text in texts):
        raise BadInput(_("The draft holds a NUL character, which cannot be kept: remove it."))
    return sum(len(text) for text in texts)
