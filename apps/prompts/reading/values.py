"""JSON as it is written down: one value per key, finite numbers, sensible depth."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NoReturn

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.prompts.reading.rows import RowError

DEPTH_MAX = 64
# What the parser's words leave open: it ends them with the place, which stands in a column here.
IN_PLAIN_WORDS = {
    "Invalid control character at": gettext_lazy(
        "a line break or another control character stands inside a text; is a quotation mark "
        "missing before it?"
    ),
    "Unterminated string starting at": gettext_lazy(
        "a text begins here and never ends: its closing quotation mark is missing."
    ),
}


def _refuse_constant(name: str) -> NoReturn:
    raise RowError(
        _("%(name)s is not a JSON number: write null where there is no number.") % {"name": name}
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        key, count = Counter(key for key, _value in pairs).most_common(1)[0]
        raise RowError(
            _("the key %(key)r appears %(count)d times: keep one of them.")
            % {"key": key[:60], "count": count}
        )
    return values


DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant)


def parse_json(text: str) -> Any:
    """The value of one JSON text. Raises RowError with the column of what is wrong."""
    try:
        value = DECODER.decode(text)
    except json.JSONDecodeError as error:
        what = IN_PLAIN_WORDS.get(error.msg, error.msg)
        raise RowError(_("not valid JSON: %(what)s") % {"what": what}, column=error.colno) from None
    except RecursionError:
        raise RowError(_too_deep()) from None
    except RowError:
        raise
    except ValueError as error:
        raise RowError(_("not valid JSON: %(what)s") % {"what": error}) from None
    check_depth(value, text)
    return value


def as_object(value: Any) -> dict[str, Any]:
    """A row is an object. Raises RowError for anything else."""
    if isinstance(value, dict):
        return value
    raise RowError(
        _("a row is an object with keys, and this is %(kind)s.") % {"kind": kind_of(value)}
    )


def check_depth(value: Any, text: str) -> None:
    """Refuse what is nested so deeply that no database or reader is sure to hold it."""
    if text.count("{") + text.count("[") <= DEPTH_MAX:
        return
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > DEPTH_MAX:
            raise RowError(_too_deep())
        level = [item for one in level for item in _inside(one)]


def _inside(value: Any) -> list[Any]:
    children = value.values() if isinstance(value, dict) else value
    return [child for child in children if isinstance(child, dict | list)]


def _too_deep() -> str:
    return _("nested more than %(depth)d levels deep: flatten it.") % {"depth": DEPTH_MAX}


def kind_of(value: Any) -> str:
    """What a JSON value is, in words for a sentence."""
    if value is None:
        return _("null")
    if isinstance(value, bool):
        return _("a boolean")
    if isinstance(value, int | float):
        return _("a number")
    if isinstance(value, str):
        return _("a text")
    return _("a list") if isinstance(value, list) else _("an object")
