"""What is typed is never lost: drafts of a form in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NewVisitor, Visitor

SETTINGS = "/p/demo-project/settings/"
SAVED = re.compile(r"Draft saved \d\d:\d\d:\d\d")
PATIENCE_MS = 30_000


@pytest.fixture
def visitor(new_visitor: NewVisitor) -> Visitor:
    """Somebody new for each test, so that no draft of another one is there."""
    made = new_visitor()
    made.open(SETTINGS)
    return made


def guidelines(page: Page) -> Locator:
    return page.get_by_label("Guidelines", exact=True)


def says(page: Page, text: str | re.Pattern[str]) -> None:
    expect(page.locator("[data-draft-state]")).to_have_text(text, timeout=PATIENCE_MS)


def test_what_was_typed_is_there_after_a_reload_until_it_is_discarded(visitor: Visitor) -> None:
    page = visitor.page
    says(page, "No changes")
    guidelines(page).fill("Read twice. 你好 שלום")
    says(page, SAVED)

    page.reload()
    says(page, re.compile("Your draft from"))
    expect(guidelines(page)).to_have_value("Read twice. 你好 שלום")

    page.get_by_role("button", name="Discard the draft").click()
    says(page, "No changes")
    page.reload()
    expect(guidelines(page)).to_have_value("")


def test_leaving_at_once_keeps_the_last_word(visitor: Visitor) -> None:
    page = visitor.page
    guidelines(page).fill("Typed and left")
    page.get_by_role("link", name="Members").click()
    page.wait_for_url("**/members/")

    visitor.open(SETTINGS)

    expect(guidelines(page)).to_have_value("Typed and left")


def test_a_server_that_is_not_reached_loses_nothing_and_is_asked_again(visitor: Visitor) -> None:
    page = visitor.page
    page.route("**/drafts/**", lambda route: route.abort())
    guidelines(page).fill("Kept in the browser")
    says(page, re.compile("could not be saved"))

    page.unroute("**/drafts/**")
    page.get_by_role("button", name="Retry").click()

    says(page, SAVED)
    visitor.complaints.clear()  # the browser tells of the request that was cut


def by_mouse(page: Page) -> None:
    page.get_by_role("button", name="Take mine").click()


def by_keyboard(page: Page) -> None:
    page.keyboard.press("2")


@pytest.mark.parametrize(("choose", "kept"), [(by_mouse, "Mine"), (by_keyboard, "Theirs")])
def test_two_windows_show_both_texts_and_one_is_chosen(
    visitor: Visitor, choose: Callable[[Page], None], kept: str
) -> None:
    mine, theirs = visitor.page, visitor.page.context.new_page()
    theirs.goto(visitor.address + SETTINGS)
    guidelines(theirs).fill("Theirs")
    says(theirs, SAVED)

    guidelines(mine).fill("Mine")
    dialog = mine.get_by_role("dialog", name="Two drafts")
    expect(dialog).to_be_visible(timeout=PATIENCE_MS)
    expect(dialog).to_contain_text("Theirs")
    choose(mine)

    says(mine, SAVED)
    expect(guidelines(mine)).to_have_value(kept)
    visitor.complaints.clear()  # the browser tells of the 409


def test_saving_the_form_ends_the_draft(visitor: Visitor) -> None:
    page = visitor.page
    guidelines(page).fill("Saved for good")
    says(page, SAVED)

    page.get_by_role("button", name="Save settings").click()

    visitor.sees("The settings are saved.")
    says(page, "No changes")
    expect(guidelines(page)).to_have_value("Saved for good")
    guidelines(page).fill("")
    page.get_by_role("button", name="Save settings").click()
    visitor.sees("The settings are saved.")
