"""Keyset pages: cheap at any depth, and stable while rows are added."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _

from apps.activity.errors import BadInput

LARGEST_PAGE = 1000
Row = TypeVar("Row", bound=Model)


class Page(NamedTuple, Generic[Row]):
    """Some rows, and the cursor that the next page starts after; None on the last page."""

    items: list[Row]
    next: str | None


def page(queryset: QuerySet[Row], *, after: str | None, limit: int, key: str = "pk") -> Page[Row]:
    """The rows whose `key` follows the cursor; `-key` walks from the newest down.

    `key` is a unique field of the model; `limit` is 1 to LARGEST_PAGE. Raises BadInput.
    """
    if not 1 <= limit <= LARGEST_PAGE:
        raise BadInput(
            _("limit is %(limit)d: use 1 to %(largest)d.")
            % {"limit": limit, "largest": LARGEST_PAGE}
        )
    field = key.removeprefix("-")
    comparison = "lt" if key.startswith("-") else "gt"
    if after:
        queryset = queryset.filter(**{f"{field}__{comparison}": _cursor(queryset, field, after)})
    rows = list(queryset.order_by(key)[: limit + 1])
    items = rows[:limit]
    return Page(items, str(getattr(items[-1], field)) if len(rows) > limit else None)


def _cursor(queryset: QuerySet[Row], field: str, after: str) -> object:
    meta = queryset.model._meta
    column = meta.pk if field == "pk" else meta.get_field(field)
    try:
        return column.to_python(after)  # type: ignore[union-attr]  # a key is a plain column
    except ValidationError:
        raise BadInput(
            _("after is %(after)r: pass on the value of `next` as it is.") % {"after": after}
        ) from None
