"""Two ways to work a page: by the mouse alone, and by the keyboard alone."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from playwright.sync_api import FileChooser, Page

MOST_TABS = 300
# What a screen reader would call the focused element, near enough.
FOCUSED = """() => {
    const one = document.activeElement;
    const labels = [...(one.labels || [])].map((label) => label.innerText);
    return one.getAttribute("aria-label") || labels.join(" ") || one.innerText || "";
}"""
LEADS_ON = """() => document.activeElement.matches(
    "a[href]:not([download]), button:not([type=button])")"""


class Hands(ABC):
    """What a person does on a page; everything is found by its name."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @abstractmethod
    def go(self, step: str, keys: str) -> None:
        """To a page of the navigation."""

    @abstractmethod
    def use(self, name: str) -> None:
        """Press the button, or follow the link, in the content of the page."""

    @abstractmethod
    def fill(self, label: str, text: str) -> None: ...

    @abstractmethod
    def fill_all(self, label: str, text: str) -> None:
        """The same into every field whose name begins so."""

    @abstractmethod
    def send(self, file: Path) -> None:
        """Choose the file in the dialog that the field `File` opens."""


class Mouse(Hands):
    def go(self, step: str, keys: str) -> None:
        pages = self.page.get_by_role("navigation", name="Pages")
        pages.get_by_role("link", name=re.compile(rf"\b{step}\b")).first.click()

    def use(self, name: str) -> None:
        dialog = self.page.locator("dialog[open]")
        within = dialog if dialog.count() else self.page.locator("body")
        acts = within.get_by_role("button", name=name).or_(within.get_by_role("link", name=name))
        acts.filter(visible=True).first.click()

    def fill(self, label: str, text: str) -> None:
        field = self.page.get_by_label(label, exact=True)
        field.click()
        field.fill(text)

    def fill_all(self, label: str, text: str) -> None:
        for field in self.page.get_by_label(label).all():
            field.click()
            field.fill(text)

    def send(self, file: Path) -> None:
        with self.page.expect_file_chooser() as chooser:
            self.page.get_by_label("File", exact=True).click()
        _choose(chooser, file)


class Keyboard(Hands):
    def go(self, step: str, keys: str) -> None:
        before = self.page.url
        for key in keys.split():
            self.page.keyboard.press(key)
        self.page.wait_for_url(lambda url: url != before)

    def use(self, name: str) -> None:
        """As a person does, who waits for the page that a link or a form leads to."""
        self._reach(name)
        if self.page.evaluate(LEADS_ON):
            with self.page.expect_navigation():
                self.page.keyboard.press("Enter")
        else:
            self.page.keyboard.press("Enter")

    def fill(self, label: str, text: str) -> None:
        self._reach(label)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)

    def fill_all(self, label: str, text: str) -> None:
        for _field in range(self.page.get_by_label(label).count()):
            self.fill(label, text)

    def send(self, file: Path) -> None:
        self._reach("File")
        with self.page.expect_file_chooser() as chooser:
            self.page.keyboard.press("Enter")
        _choose(chooser, file)

    def _reach(self, name: str) -> None:
        """Tab to what begins with the name, from wherever the focus is."""
        for _tab in range(MOST_TABS):
            self.page.keyboard.press("Tab")
            if " ".join(str(self.page.evaluate(FOCUSED)).split()).startswith(name):
                return
        raise AssertionError(f"no tab stop is called {name!r} on {self.page.url}")


def _choose(chooser: Any, file: Path) -> None:
    chosen: FileChooser = chooser.value
    chosen.set_files(file)
