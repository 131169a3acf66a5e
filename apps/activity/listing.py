"""A list page: filters and the place in the list stand in the URL, so that a link shows the same.

    FILTERS = (
        Filter("state", _("State"), by_field("state"), choices=Spec.State.choices),
        Filter("q", _("Search"), search),
    )
    found = listing(request, queryset, filters=FILTERS, key="-number")

The template gets `found` and includes components/filters.html and components/pager.html.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _

from apps.activity.errors import BadInput
from apps.activity.paging import Row, page

ROWS_A_PAGE = 50
LONGEST_TEXT = 200
Narrow = Callable[[QuerySet[Any], str], QuerySet[Any]]
Choices = Sequence[tuple[Any, Any]]


@dataclass(frozen=True)
class Filter:
    """One way to narrow a list. With `choices` it is a menu, without a field of the HTML `kind`."""

    name: str
    label: Any
    narrow: Narrow
    choices: Choices = ()
    kind: str = "search"


@dataclass(frozen=True)
class BoundFilter:
    """A filter with what the URL says of it."""

    name: str
    label: Any
    value: str
    choices: Choices
    kind: str


@dataclass(frozen=True)
class Listing(Generic[Row]):
    """The rows of a page, and what the page needs to lead elsewhere."""

    items: list[Row]
    filters: list[BoundFilter]
    next_query: str | None
    previous_query: str | None
    filtered: bool


def by_field(lookup: str) -> Narrow:
    """Keep the rows whose field is the value."""
    return lambda rows, value: rows.filter(**{lookup: value})


def listing(
    request: HttpRequest,
    queryset: QuerySet[Row],
    *,
    filters: Iterable[Filter] = (),
    key: str = "-pk",
    limit: int = ROWS_A_PAGE,
) -> Listing[Row]:
    """The page of the list that the URL asks for. Raises BadInput for a filter it cannot use."""
    bound = []
    for one in filters:
        value = request.GET.get(one.name, "").strip()
        if value:
            queryset = one.narrow(queryset, _usable(one, value))
        bound.append(BoundFilter(one.name, one.label, value, one.choices, one.kind))
    found = page(
        queryset,
        after=request.GET.get("after"),
        before=request.GET.get("before"),
        limit=limit,
        key=key,
    )
    return Listing(
        items=found.items,
        filters=bound,
        next_query=_query(bound, after=found.next),
        previous_query=_query(bound, before=found.previous),
        filtered=any(one.value for one in bound),
    )


def _usable(one: Filter, value: str) -> str:
    if "\0" in value or len(value) > LONGEST_TEXT:
        raise BadInput(
            _("The filter %(label)s is too long or holds a NUL character: shorten it.")
            % {"label": one.label}
        )
    if one.choices and value not in {str(choice) for choice, _label in one.choices}:
        raise BadInput(
            _("%(label)s cannot be %(value)r: choose one of %(choices)s.")
            % {
                "label": one.label,
                "value": value,
                "choices": ", ".join(str(choice) for choice, _label in one.choices),
            }
        )
    return value


def _query(bound: list[BoundFilter], **cursor: str | None) -> str | None:
    """The query of a neighbouring page; None where there is none."""
    if None in cursor.values():
        return None
    query = QueryDict(mutable=True)
    query.update({one.name: one.value for one in bound if one.value})
    query.update({name: str(value) for name, value in cursor.items()})
    return query.urlencode()
