"""What changed between two versions of a meta-rubric, entry by entry."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from rubricstudio.core.metarubrics.types import Entry, MetaRubric


class ChangeKind(StrEnum):
    """What became of an entry."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"


class Change(NamedTuple):
    """One entry, or a text of the whole (``key`` is then its name), before and after."""

    kind: ChangeKind
    part: str
    key: str
    before: Entry | str | None
    after: Entry | str | None


_PARTS = ("principles", "criteria", "failure_modes")
_TEXTS = ("name", "summary", "domain", "weighting")


def differences(before: MetaRubric, after: MetaRubric) -> list[Change]:
    """Every change, part by part; an entry that only stands elsewhere is moved."""
    found = [change for part in _PARTS for change in _in_part(part, before, after)]
    for name in _TEXTS:
        found += _in_text(name, getattr(before, name), getattr(after, name))
    found += _in_text("instantiation", *("\n".join(one.instantiation) for one in (before, after)))
    found += _in_text("removes", *(", ".join(one.removes) for one in (before, after)))
    return found


def _in_text(name: str, before: str, after: str) -> list[Change]:
    return [Change(ChangeKind.CHANGED, name, name, before, after)] if before != after else []


def _in_part(part: str, before: MetaRubric, after: MetaRubric) -> Iterable[Change]:
    old = {entry.key: entry for entry in getattr(before, part)}
    new = {entry.key: entry for entry in getattr(after, part)}
    stayed = [key for key in old if key in new]
    moved = {
        key for key, other in zip(stayed, [k for k in new if k in old], strict=True) if key != other
    }
    for key, entry in old.items():
        if key not in new:
            yield Change(ChangeKind.REMOVED, part, key, entry, None)
        elif entry != new[key]:
            yield Change(ChangeKind.CHANGED, part, key, entry, new[key])
        elif key in moved:
            yield Change(ChangeKind.MOVED, part, key, entry, entry)
    for key, entry in new.items():
        if key not in old:
            yield Change(ChangeKind.ADDED, part, key, None, entry)
