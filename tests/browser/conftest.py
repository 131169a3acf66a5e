"""A person before a real browser, and a whole studio behind the address.

`visitor` is signed in as an administrator; when a test ends, whatever the browser complained of
fails it: errors on the console (a refused inline script, two things on one key), and any request
to another host.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    ViewportSize,
    expect,
)

from rubricstudio.testing.stub.behaviour import Behaviour
from rubricstudio.testing.stub.process import RunningStub, stub_server
from tests.e2e.studio import Studio

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic"),
    *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
    "--disable-sync",
)
PATIENCE_MS = 30_000
DESKTOP = ViewportSize(width=1440, height=900)
PHONE = ViewportSize(width=390, height=844)
INSTALL = "no Chromium here: apt-get install --no-install-recommends chromium"
REFUSED = "RUBRICSTUDIO_NO_BROWSER is set: no browser is wanted here"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    why_not = why_no_browser()
    for item in items:
        if here not in item.path.parents:
            continue
        item.add_marker(pytest.mark.slow)
        item.add_marker(pytest.mark.browser)
        item.add_marker(pytest.mark.timeout(1200))
        item.add_marker(pytest.mark.xdist_group(f"browser-{item.path.stem}"))
        if why_not:
            item.add_marker(pytest.mark.skip(reason=why_not))


def why_no_browser() -> str:
    """Why these tests cannot run here; empty where they can, and in CI, where they have to."""
    if os.environ.get("RUBRICSTUDIO_NO_BROWSER"):
        return REFUSED
    return INSTALL if CHROMIUM is None and os.environ.get("CI") != "true" else ""


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    assert CHROMIUM, INSTALL
    return {"executable_path": CHROMIUM, "args": list(QUIET)}


@dataclass
class Visitor:
    """One person's browser window. `address` is the studio's; paths are relative to it."""

    page: Page
    address: str
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("request", self._see)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(f"{self.page.url}: {message.text}")

    def _see(self, request: Request) -> None:
        host = urlsplit(request.url)
        if host.scheme not in ("data", "blob") and not request.url.startswith(self.address):
            self.complaints.append(f"{self.page.url} asked {host.netloc}")

    def open(self, path: str) -> None:
        self.page.goto(self.address + path, wait_until="load")

    def open_whole(self, path: str) -> None:
        """Also what the page asks for once it is there."""
        self.open(path)
        expect(self.page.locator("[hx-trigger=load]:not([hx-swap=none])")).to_have_count(
            0, timeout=PATIENCE_MS
        )

    @property
    def path(self) -> str:
        return urlsplit(self.page.url).path

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def sees(self, text: str) -> None:
        """Wait until the text is visible somewhere on the page."""
        self.page.get_by_text(text).first.wait_for(state="visible")


NewVisitor = Callable[..., Visitor]


@pytest.fixture(scope="module")
def stub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStub]:
    with stub_server(tmp_path_factory.mktemp("stub") / "requests.jsonl") as running:
        yield running


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory, stub: RunningStub) -> Iterator[Studio]:
    """`up` on an empty folder, with the stub as its model server."""
    with Studio(tmp_path_factory.mktemp("studio"), **model_at(stub)) as running:
        yield running


def model_at(stub: RunningStub) -> dict[str, str]:
    """The variables that make the stub a studio's model server."""
    return {
        "LLM_BASE_URL": stub.base_url,
        "LLM_MODEL": Behaviour().model,
        "LLM_BACKEND": "vllm",
    }


@contextmanager
def visitors(studio: Studio, browser: Browser) -> Iterator[NewVisitor]:
    """Opens a window for a new administrator; options go to the browser's context.

    When the block ends, whatever a window complained of fails it.
    """
    arrived: list[Visitor] = []
    contexts: list[BrowserContext] = []

    def arrive(**options: Any) -> Visitor:
        context = browser.new_context(**{"viewport": DESKTOP, **options})
        contexts.append(context)
        visitor = Visitor(context.new_page(), studio.address)
        arrived.append(visitor)
        sign_in(visitor, studio)
        return visitor

    yield arrive
    complaints = [one for visitor in arrived for one in visitor.complaints]
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def new_visitor(studio: Studio, browser: Browser) -> Iterator[NewVisitor]:
    with visitors(studio, browser) as arrive:
        yield arrive


@pytest.fixture
def visitor(new_visitor: NewVisitor) -> Visitor:
    return new_visitor()


def sign_in(visitor: Visitor, studio: Studio) -> None:
    """By a link, as a person without a password does."""
    name = f"visitor-{os.urandom(4).hex()}"
    studio.command("create_user", name, "--admin")
    link = studio.command("signin_link", "--user", name)["url"]
    visitor.open(urlsplit(link).path)
    visitor.page.locator("main button[type=submit]").click()
    visitor.page.wait_for_url(visitor.address + "/")
