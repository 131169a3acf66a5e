"""Every address of the URL configuration, with its parameters filled in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RoutePattern

VERBS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


class Route(NamedTuple):
    """One URL pattern: `path` as it is declared, with its parameters in angle brackets."""

    path: str
    view: Callable[..., Any]

    @property
    def parameters(self) -> list[str]:
        return PARAMETER.findall(self.path)

    def address(self, values: Mapping[str, object]) -> str:
        """The path with each parameter's value; a name without one fails, saying what to do."""
        unknown = [name for name in self.parameters if name not in values]
        assert not unknown, (
            f"{self.path}: the tests know no value for the parameter {unknown[0]!r}; "
            "add one to `foreign_things` in tests/apps/accounts/test_access.py."
        )
        return "/" + PARAMETER.sub(lambda match: str(values[match[1]]), self.path)


def all_routes() -> list[Route]:
    return list(_walk("", get_resolver().url_patterns))


def _walk(prefix: str, patterns: list[URLPattern | URLResolver]) -> Iterator[Route]:
    for entry in patterns:
        assert isinstance(entry.pattern, RoutePattern), f"{entry} is no plain path()"
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _walk(path, entry.url_patterns)
        else:
            yield Route(path, entry.callback)
