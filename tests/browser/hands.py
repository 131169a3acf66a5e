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
    def tick_all(self, label: str) -> None: ...

    @abstractmethod
    def send(self, file: Path) -> None:
        """Choose the file in the dialog that the field `File` opens."""


class Mouse(Hands):
    def go(self, step: str, keys: str) -> None:
        pages = self.page.get_by_role("navigation", name="Pages")
        pages.get_by_role("link", name=re.compile(rf"\b{step}\b")).first.click()

    def use(self, name: str) -> None:
        acts = self.page.get_by_role("button", name=name).or_(
            self.page.get_by_role("link", name=name)
        )
        acts.filter(visible=True).first.click()

    def fill(self, label: str, text: str) -> None:
        field = self.page.get_by_label(label, exact=True)
        field.click()
        field.fill(text)

    def tick_all(self, label: str) -> None:
        for box in self.page.get_by_label(label).all():
            box.click()

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
        self._reach(name)
        self.page.keyboard.press("Enter")

    def fill(self, label: str, text: str) -> None:
        self._reach(label)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)

    def tick_all(self, label: str) -> None:
        for _box in range(self.page.get_by_label(label).count()):
            self._reach(label)
            self.page.keyboard.press("Space")

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
