"""Keyset pages: cheap at any depth, and stable while rows are added."""

from __future__ import annotations

from functools import reduce
from typing import Any, Generic, NamedTuple, TypeVar, cast

from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _

from apps.activity.errors import BadInput

LARGEST_PAGE = 1000
Row = TypeVar("Row", bound=Model)


class Page(NamedTuple, Generic[Row]):
    """Some rows, and the cursors of the pages beside it; None where there is no such page."""

    items: list[Row]
    next: str | None
    previous: str | None = None


def page(
    queryset: QuerySet[Row],
    *,
    after: str | None,
    limit: int,
    key: str = "pk",
    before: str | None = None,
) -> Page[Row]:
    """The rows whose `key` follows the cursor; `-key` walks from the newest down.

    `before` gives the rows that precede its cursor instead. `key` is a field that is unique among
    the rows, of the model or (with `__`) of one it belongs to; `limit` is 1 to LARGEST_PAGE.
    Raises BadInput.
    """
    if not 1 <= limit <= LARGEST_PAGE:
        raise BadInput(
            _("limit is %(limit)d: use 1 to %(largest)d.")
            % {"limit": limit, "largest": LARGEST_PAGE}
        )
    if before:
        rows, more = _cut(queryset, before, _turned(key), limit)
        return _between(rows[::-1], key, previous=more, following=True)
    rows, more = _cut(queryset, after, key, limit)
    return _between(rows, key, previous=bool(after), following=more)


def _cut(
    queryset: QuerySet[Row], cursor: str | None, key: str, limit: int
) -> tuple[list[Row], bool]:
    """The rows behind the cursor in the order of the key, and whether more follow."""
    if cursor:
        comparison = "lt" if key.startswith("-") else "gt"
        field = key.removeprefix("-")
        value = _cursor(queryset, field, cursor)
        queryset = queryset.filter(**{f"{field}__{comparison}": value})
    rows = list(queryset.order_by(key)[: limit + 1])
    return rows[:limit], len(rows) > limit


def _between(rows: list[Row], key: str, *, previous: bool, following: bool) -> Page[Row]:
    field = key.removeprefix("-")
    first = _value(rows[0], field) if rows and previous else None
    last = _value(rows[-1], field) if rows and following else None
    return Page(rows, last, first)


def _value(row: Model, field: str) -> str:
    return str(reduce(getattr, field.split("__"), row))


def _turned(key: str) -> str:
    return key.removeprefix("-") if key.startswith("-") else f"-{key}"


def _cursor(queryset: QuerySet[Row], field: str, after: str) -> object:
    *path, name = field.split("__")
    model: Any = queryset.model
    for step in path:
        model = model._meta.get_field(step).related_model
    column = model._meta.pk if name == "pk" else model._meta.get_field(name)
    try:
        return cast(object, column.to_python(after))
    except ValidationError:
        raise BadInput(
            _("after is %(after)r: pass on the value of `next` as it is.") % {"after": after}
        ) from None
