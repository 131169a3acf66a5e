"""The workbench in a real browser: edit a constraint, try a response, have it approved."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NewVisitor, Visitor
from tests.e2e.studio import Studio

BENCH = "/p/tides/specs/1/workbench/"
PATIENCE_MS = 30_000
PROMPT = "Why does the sea have tides? Answer in exactly 3 paragraphs, and never mention tea."
ASKED = {
    "prompt": PROMPT,
    "instruction_id_list": ["keywords:forbidden_words", "detectable_format:title"],
    "kwargs": [{"forbidden_words": ["tea"]}, {}],
}


@pytest.fixture(scope="module")
def prompts(studio: Studio, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A prompt with published constraints, its spec, and two rollouts."""
    folder = tmp_path_factory.mktemp("files")
    files: dict[str, list[dict[str, Any]]] = {
        "prompts.jsonl": [ASKED],
        "rollouts.jsonl": [
            {"prompt": PROMPT, "response": "The Moon.", "rollout_id": "a"},
            {"prompt": PROMPT, "response": "A cup of tea.", "rollout_id": "b"},
        ],
    }
    for name, rows in files.items():
        (folder / name).write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    studio.command("import_prompts", str(folder / "prompts.jsonl"), "--project", "tides")
    studio.command("make_specs", "--project", "tides", "--no-model")
    rollouts = str(folder / "rollouts.jsonl")
    studio.command("import_rollouts", rollouts, "--project", "tides", "--policy", "gpt")


@pytest.fixture
def visitor(prompts: None, new_visitor: NewVisitor) -> Visitor:
    made = new_visitor()
    made.open(BENCH)
    return made


def tried(page: Page, text: str | re.Pattern[str]) -> None:
    expect(page.locator("#tried")).to_contain_text(text, timeout=PATIENCE_MS)


def box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Response")


def newest(page: Page) -> int:
    words = page.locator(".history li").first.inner_text()
    found = re.match(r"v(\d+)", words)
    assert found is not None
    return int(found[1])


def test_a_person_changes_a_constraint_sees_the_verdict_change_and_approves(
    visitor: Visitor, new_visitor: NewVisitor
) -> None:
    page = visitor.page
    before = newest(page)

    page.get_by_role("link", name="Add").click()
    page.wait_for_url("**constraint=new")
    page.get_by_label("Type", exact=True).select_option("paragraph_count")
    page.get_by_label("Number", exact=True).fill("3")
    page.get_by_label("Words of the prompt that ask for it").fill("exactly 3 paragraphs")
    box(page).fill("The Moon.\n\nThe Sun.")
    tried(page, "2 paragraphs, exactly 3 asked")
    page.get_by_role("button", name="Add Ctrl Enter").click()
    visitor.sees(f"Saved as version {before + 1}, a draft.")
    expect(page.locator("mark", has_text="exactly 3 paragraphs")).to_be_visible()

    # The response stayed, and one paragraph more turns its verdict.
    tried(page, "2 paragraphs, exactly 3 asked")
    box(page).fill("The Moon.\n\nThe Sun.\n\nBoth.")
    tried(page, "3 paragraphs, exactly 3 asked")
    # So does another number in the form, before it is saved.
    page.get_by_label("Number", exact=True).fill("4")
    tried(page, "3 paragraphs, exactly 4 asked")
    tried(page, "as typed, not saved")
    page.get_by_label("Number", exact=True).fill("3")
    tried(page, "3 paragraphs, exactly 3 asked")

    page.get_by_role("button", name="Ask for review").first.click()
    page.get_by_label("What should the reviewer look at?").fill("Three paragraphs.")
    page.get_by_role("dialog").get_by_role("button", name="Ask for review").click()
    visitor.sees("Review was asked for.")

    reviewer = new_visitor()
    reviewer.open(BENCH)
    reviewer.press("a")
    reviewer.page.get_by_label("Why is it right?").fill("It says what the prompt says.")
    reviewer.press("Control+Enter")
    reviewer.sees("Approved: it may go into bundles.")
    assert reviewer.path == BENCH


def test_everything_is_done_by_keys(visitor: Visitor) -> None:
    page = visitor.page
    before = newest(page)

    visitor.press("n")
    page.wait_for_url("**constraint=new")
    visitor.press("l")
    chosen = page.get_by_role("dialog").get_by_role("button", name="line_count")
    chosen.focus()
    visitor.press("Enter")
    page.get_by_label("Number", exact=True).wait_for()
    page.get_by_label("Number", exact=True).focus()
    page.keyboard.type("1")
    visitor.press("Escape", "t")
    page.keyboard.type("One line")
    tried(page, "1 line, exactly 1 asked")
    visitor.press("Control+Enter")
    visitor.sees(f"Saved as version {before + 1}, a draft.")

    visitor.press("Escape", "z")
    visitor.sees(f"The constraints are those of version {before} again")
    visitor.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("write a response")


def test_words_of_the_prompt_are_quoted_by_selecting_them(visitor: Visitor) -> None:
    page = visitor.page
    page.locator("[data-quoted-from]").evaluate(
        """(prompt) => {
            const walker = document.createTreeWalker(prompt, NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) {
                const at = walker.currentNode.data.indexOf("never mention");
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(walker.currentNode, at);
                range.setEnd(walker.currentNode, at + "never mention tea".length);
                getSelection().removeAllRanges();
                getSelection().addRange(range);
            }
        }"""
    )

    visitor.press("q")

    quote = page.get_by_label("Words of the prompt that ask for it")
    expect(quote).to_have_value("never mention tea")
    page.get_by_role("button", name="Discard the draft").click()


def test_a_rollout_that_fails_is_opened_in_the_box(visitor: Visitor) -> None:
    page = visitor.page
    results = page.locator(".results li").first
    expect(results).to_contain_text("50.0 % pass", timeout=PATIENCE_MS)

    results.locator("p", has_text="Fails:").get_by_role("link").click()

    expect(box(page)).to_have_value("A cup of tea.")
    tried(page, "found, none asked")
    expect(page.locator("#tried mark.failed")).to_have_text("tea")
