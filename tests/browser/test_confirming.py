"""Acts that cannot be undone: asked for, typed, done; by mouse alone and by keyboard alone."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, PHONE, NewVisitor, Visitor
from tests.browser.hands import Hands, Keyboard, Mouse
from tests.browser.test_every_page import AXE
from tests.e2e.studio import Studio

TOKENS = "/p/demo-project/settings/tokens/"
USERS = "/administration/users/?q="


@pytest.fixture(params=[Mouse, Keyboard])
def hands(request: pytest.FixtureRequest, visitor: Visitor) -> Hands:
    kind: type[Hands] = request.param
    return kind(visitor.page)


def test_a_token_is_revoked_when_its_name_was_typed(
    visitor: Visitor, studio: Studio, hands: Hands
) -> None:
    name = f"trainer-{type(hands).__name__}"
    studio.command("create_token", "--project", "demo-project", "--scope", "score", "--name", name)
    visitor.open(TOKENS)

    hands.use(f"Revoke {name}")
    visitor.sees("It cannot be undone.")
    hands.fill(f"Type {name} to confirm", "another")
    hands.use("Revoke the token")
    visitor.sees(f"This is not {name}")
    hands.fill(f"Type {name} to confirm", name)
    hands.use("Revoke the token")

    visitor.sees(f"The token {name} is revoked.")
    expect(visitor.page.get_by_role("link", name=f"Revoke {name}")).to_have_count(0)
    visitor.complaints.clear()  # the browser tells of the 422


def test_what_is_asked_before_an_act_is_accessible_and_fits_a_phone(
    new_visitor: NewVisitor, studio: Studio
) -> None:
    visitor = new_visitor(viewport=PHONE)
    studio.command("create_token", "--project", "demo-project", "--scope", "score")
    studio.command("create_user", "promoted")

    for start, act in ((TOKENS, "Revoke"), (USERS + "promoted", "promoted")):
        visitor.open(start)
        visitor.page.locator("main").get_by_role("link", name=act).first.click()
        if act == "promoted":
            visitor.page.get_by_role("link", name="Make an administrator").click()
        visitor.page.get_by_role("button", name="Keep it").or_(
            visitor.page.get_by_role("link", name="Keep it")
        ).wait_for()
        assert Axe().run(visitor.page, options=AXE).violations_count == 0
        assert visitor.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_dialog_stands_in_the_middle_of_the_window(visitor: Visitor) -> None:
    visitor.open("/p/demo-project/specs/")
    visitor.press("n")

    box = visitor.page.get_by_role("dialog", name="Make specs").bounding_box()

    assert box is not None
    assert box["x"] + box["width"] / 2 == pytest.approx(DESKTOP["width"] / 2, abs=1)
    assert box["y"] + box["height"] / 2 == pytest.approx(DESKTOP["height"] / 2, abs=1)
