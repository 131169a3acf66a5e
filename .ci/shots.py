"""Make docs/screenshots/*.png: the pages of the demo project in a real browser (`make shots`).

Starts a studio on an empty folder with the stub as its model server, so that the pictures show
what a first start shows, and ends it.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

from rubricstudio.testing.stub.process import stub_server
from tests.browser.conftest import CHROMIUM, DESKTOP, INSTALL, PHONE, QUIET, model_at
from tests.e2e.studio import Studio

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "screenshots"


@dataclass(frozen=True)
class Shot:
    """A picture: where it is taken, and what is followed or pressed before."""

    name: str
    path: str
    follow: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    dark: bool = False
    phone: bool = False


MATRIX = ("main [data-row] a, main a[data-row]",)
FIRST_ROLLOUT = ".results .numbers a"
SHOTS = (
    Shot("home", "/"),
    Shot("overview", "/p/demo-project/"),
    Shot("overview-dark", "/p/demo-project/", dark=True),
    Shot("prompts", "/p/demo-project/prompts/"),
    Shot("prompt", "/p/demo-project/prompts/1/"),
    Shot("import", "/p/demo-project/prompts/import/"),
    Shot("specs", "/p/demo-project/specs/"),
    Shot("spec", "/p/demo-project/specs/1/"),
    Shot("workbench", "/p/demo-project/specs/1/workbench/", follow=(FIRST_ROLLOUT,)),
    Shot("constraint-types", "/p/demo-project/specs/statistics/"),
    Shot("group", "/p/demo-project/rollouts/", follow=MATRIX),
    Shot("group-dark", "/p/demo-project/rollouts/", follow=MATRIX, dark=True),
    Shot("group-phone", "/p/demo-project/rollouts/", follow=MATRIX, phone=True),
    Shot("verdict", "/p/demo-project/rollouts/", follow=(*MATRIX, "[data-matrix] td a")),
    Shot("run", "/p/demo-project/runs/1/"),
    Shot("reward", "/p/demo-project/rewards/1/"),
    Shot("freeze", "/p/demo-project/bundles/freeze/"),
    Shot("components", "/help/components/"),
    Shot("keys", "/p/demo-project/", keys=("?",)),
)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="rubricstudio-shots-") as folder,
        stub_server(Path(folder) / "requests.jsonl") as stub,
        Studio(Path(folder), **model_at(stub)) as studio,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        take_all(browser, studio)
        browser.close()


def take_all(browser: Browser, studio: Studio) -> None:
    studio.command("create_user", "ada", "--admin", "--display-name", "Ada")
    link = studio.command("signin_link", "--user", "ada")["url"]
    first = browser.new_context()
    page = first.new_page()
    page.goto(studio.address + urlsplit(link).path)
    page.locator("main button[type=submit]").click()
    page.wait_for_url(studio.address + "/")
    signed_in = first.storage_state()
    for shot in SHOTS:
        context = browser.new_context(
            storage_state=signed_in,
            viewport=PHONE if shot.phone else DESKTOP,
            color_scheme="dark" if shot.dark else "light",
        )
        take(context.new_page(), studio.address, shot)
        context.close()
        print(shot.name)


def take(page: Page, address: str, shot: Shot) -> None:
    answer = page.goto(address + shot.path)
    if answer is None or not answer.ok:
        raise SystemExit(f"{shot.path} is not there")
    for selector in shot.follow:
        page.locator(selector).first.click()
        page.wait_for_load_state("load")
    for key in shot.keys:
        page.keyboard.press(key)
    page.wait_for_timeout(600)  # charts draw themselves after the page has loaded
    page.screenshot(path=FOLDER / f"{shot.name}.png")


if __name__ == "__main__":
    if CHROMIUM is None:
        raise SystemExit(INSTALL)
    main()
