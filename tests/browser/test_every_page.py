"""Every page there is: reachable by links, accessible, quiet, and no wider than its window.

A visitor walks from home along links, once. In each project one address of each route is looked
at, and more while a route has not been met; one that no link leads to fails.
"""

from __future__ import annotations

import inspect
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from django.urls import Resolver404, resolve
from playwright.sync_api import Browser, Page, ViewportSize

from apps.accounts import access
from tests.apps.accounts.routes import all_routes
from tests.browser.conftest import DESKTOP, PHONE, Visitor, visitors
from tests.browser.filled import fill, send_files
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
    "p/<slug:slug>/runs/checks/of-spec/<int:prompt>/",
    "p/<slug:slug>/since/",
    "administration/models/endpoints/<int:endpoint>/found/",
    "p/<slug:slug>/bundles/<int:number>/since/",
    "p/<slug:slug>/rollouts/groups/<int:group>/without/",
    "p/<slug:slug>/rollouts/<int:number>/said/",
    "p/<slug:slug>/prompts/import/<uuid:upload>/state/",
    "p/<slug:slug>/rollouts/import/<uuid:upload>/state/",
    "p/<slug:slug>/specs/<int:prompt>/part/",
    "p/<slug:slug>/specs/made/<int:job>/state/",
    "p/<slug:slug>/specs/states/",
    "jump/",
}
WINDOWS = (DESKTOP, ViewportSize(width=1000, height=800), PHONE)
# Charts follow their window a frame later.
WIDTH = """() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(
    () => resolve(document.documentElement.scrollWidth))))"""
LINKS = "[...document.querySelectorAll('a[href]')].map((a) => a.href)"
AXE = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
# What a page looks like in the dark differs by its colours alone.
RULES: dict[Literal["light", "dark"], Any] = {"light": AXE, "dark": CONTRAST}


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


@dataclass
class Looked:
    """What was found on the pages, by the first address of each route in each project."""

    routes: set[str] = field(default_factory=set)
    wide: dict[str, int] = field(default_factory=dict)
    barred: dict[str, str] = field(default_factory=dict)


@pytest.fixture(scope="module")
def looked(
    studio: Studio, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Looked]:
    """The whole walk; what the browser complained of fails when the tests are over."""
    fill(studio, tmp_path_factory.mktemp("filled"))
    with visitors(studio, browser) as arrive:
        visitor, found = arrive(), Looked()
        send_files(visitor, tmp_path_factory.mktemp("sent"))
        for step in walk(visitor):
            found.routes.add(step.route)
            if step.is_page and step.is_first:
                look(visitor.page, step.path, found)
        yield found


def look(page: Page, path: str, found: Looked) -> None:
    for window in WINDOWS:
        page.set_viewport_size(window)
        width = page.evaluate(WIDTH)
        if width > window["width"]:
            found.wide[f"{path} at {window['width']}"] = width
    page.set_viewport_size(DESKTOP)
    for scheme, rules in RULES.items():
        page.emulate_media(color_scheme=scheme)
        report = Axe().run(page, options=rules)
        if report.violations_count:
            found.barred[f"{path} in {scheme}"] = report.generate_report()


class Step(NamedTuple):
    """An address of a route, open before the visitor unless it is a download."""

    route: str
    path: str
    is_page: bool
    is_first: bool


def walk(visitor: Visitor) -> Iterator[Step]:
    """Routes with the address found for each, breadth first from home, then what else there is."""
    known, seen, missing = {"/"}, Counter[tuple[str, str]](), page_routes()
    waiting, further = deque(["/"]), list[str]()
    while waiting or (missing and further):
        again = not waiting
        if again:  # first what was met least often
            further.sort(key=lambda one: seen[place_of(one) or ("", "")], reverse=True)
        path = further.pop() if again else waiting.popleft()
        place = place_of(path)
        if place is None:
            continue
        if place in seen and not again:
            further.append(path)
            continue
        seen[place] += 1
        missing.discard(place[0])
        step = Step(place[0], path, not is_download(visitor, path), not again)
        if step.is_page:
            visitor.open_whole(path)
        yield step
        if step.is_page:
            new = [link for link in links_of(visitor) if link not in known]
            waiting.extend(dict.fromkeys(new))
            known.update(new)


def links_of(visitor: Visitor) -> list[str]:
    """The addresses that the page leads to, within the studio."""
    hrefs = visitor.page.evaluate(LINKS)
    inner = [href for href in hrefs if href.startswith(visitor.address)]
    return [href.removeprefix(visitor.address).partition("#")[0] for href in inner]


def place_of(path: str) -> tuple[str, str] | None:
    """The route of a page and the project it is in; None for what is no page."""
    try:
        found = resolve(urlsplit(path).path)
    except Resolver404:
        return None
    if found.route.startswith(("api/", "static/")):
        return None
    return found.route, found.kwargs.get("slug", "")


def is_download(visitor: Visitor, path: str) -> bool:
    answer = visitor.page.request.fetch(visitor.address + path, method="HEAD")
    return "text/html" not in answer.headers.get("content-type", "")


def test_a_link_leads_to_every_page(looked: Looked) -> None:
    assert page_routes() - looked.routes == set()


def test_no_page_breaks_a_rule_of_accessibility_in_light_and_in_dark(looked: Looked) -> None:
    assert looked.barred == {}


def test_no_page_is_wider_than_its_window(looked: Looked) -> None:
    assert looked.wide == {}
