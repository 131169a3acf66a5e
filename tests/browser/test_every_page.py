"""Every page there is: reachable by links, accessible, quiet, and no wider than its window.

The visitor walks from home along links. Of each route one address is looked at; a route that no
link leads to fails the walk.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from django.urls import Resolver404, resolve
from playwright.sync_api import ViewportSize

from apps.accounts import access
from tests.apps.accounts.routes import all_routes
from tests.browser.conftest import DESKTOP, PHONE, NewVisitor, Visitor
from tests.e2e.studio import Studio

# Opened by what somebody was sent, or by a form, and so on no page as a link.
WITHOUT_LINK = {
    "sign-in/",
    "sign-in/link/<str:token>/",
    "sign-out/",
    "invitations/<str:token>/",
    "theme/",
    "healthz",
    # Asked before an act, where there is something to act on: test_confirming.py looks at them.
    "p/<slug:slug>/settings/tokens/<int:api_token>/revoke/",
    "administration/users/<int:person>/make-administrator/",
    # Parts that a page or a script asks for.
    "p/<slug:slug>/drafts/<str:key>/",
    "p/<slug:slug>/since/",
    "administration/models/endpoints/<int:endpoint>/found/",
    "p/<slug:slug>/bundles/<int:number>/since/",
    "p/<slug:slug>/rollouts/groups/<int:group>/without/",
    "p/<slug:slug>/rollouts/<int:number>/said/",
    "jump/",
}
LINKS = "[...document.querySelectorAll('a[href]')].map((a) => a.href)"
AXE = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def page_routes() -> set[str]:
    """The routes that a person opens: no API, and answering to GET."""
    return {
        route.path
        for route in all_routes()
        if (policy := access.policy_of(route.view, "GET")) and not policy.is_api
        if not route.path.startswith("api/") and route.path not in WITHOUT_LINK
        if answers_get(route.view)
    }


def answers_get(view: Callable[..., Any]) -> bool:
    """Whether no decorator keeps GET out; Django's own hold the verbs in their closure."""
    seen: Callable[..., Any] | None = view
    while seen is not None:
        methods = inspect.getclosurevars(seen).nonlocals.get("request_method_list")
        if methods is not None and "GET" not in methods:
            return False
        seen = getattr(seen, "__wrapped__", None)
    return True


def route_of(path: str) -> str | None:
    try:
        return resolve(path).route
    except Resolver404:
        return None


@pytest.fixture(scope="module")
def addresses(studio: Studio) -> dict[str, str]:
    """Filled by the walk: a route and the first address of it that a link led to."""
    return {}


def walk(visitor: Visitor) -> Iterator[tuple[str, str]]:
    """Each route once, with the address that was found for it; breadth first from home."""
    seen: set[str] = set()
    waiting = ["/"]
    while waiting:
        path = waiting.pop(0)
        route = route_of(urlsplit(path).path)
        if route is None or route in seen or route.startswith(("api/", "static/")):
            continue
        seen.add(route)
        if is_download(visitor, path):
            yield route, path
            continue
        visitor.open(path)
        yield route, path
        for href in visitor.page.evaluate(LINKS):
            if href.startswith(visitor.address):
                waiting.append(href.removeprefix(visitor.address).partition("#")[0])


def is_download(visitor: Visitor, path: str) -> bool:
    answer = visitor.page.request.fetch(visitor.address + path, method="HEAD")
    return "text/html" not in answer.headers.get("content-type", "")


def test_a_link_leads_to_every_page(visitor: Visitor, addresses: dict[str, str]) -> None:
    addresses.update(walk(visitor))

    assert page_routes() - set(addresses) == set()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_breaks_a_rule_of_accessibility(new_visitor: NewVisitor, scheme: str) -> None:
    visitor = new_visitor(color_scheme=scheme)
    broken = {}
    for route, path in walk(visitor):
        if is_download(visitor, path):
            continue
        found = Axe().run(visitor.page, options=AXE)
        if found.violations_count:
            broken[route] = found.generate_report()

    assert broken == {}


@pytest.mark.parametrize("viewport", [DESKTOP, ViewportSize(width=1000, height=800), PHONE])
def test_no_page_is_wider_than_its_window(new_visitor: NewVisitor, viewport: ViewportSize) -> None:
    visitor = new_visitor(viewport=viewport)
    wide = {}
    for route, path in walk(visitor):
        width = visitor.page.evaluate("document.documentElement.scrollWidth")
        if not is_download(visitor, path) and width > viewport["width"]:
            wide[route] = width

    assert wide == {}
