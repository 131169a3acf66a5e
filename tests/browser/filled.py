"""Projects in which every page has something to show, also texts that pages find hard to lay out.

Made by the commands, with the stub as the model; only uploads that wait are sent by the pages.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.browser.conftest import Visitor
from tests.browser.hands import Mouse
from tests.e2e.studio import Studio

FILLED = "filled"
BEGUN = "begun"
UNBROKEN = "unbroken" * 400
HEBREW = "שלום עולם, זוהי תשובה ארוכה. " * 20
CHINESE = "这是一个没有空格的长段落，用来检查换行。" * 30
EMOJI = "👩🏽‍🔬🏳️‍🌈🧑‍🧑‍🧒‍🧒" * 60
LONG = "Every line of this response is told apart by its number.\n" * 20_000
"""More than a megabyte, so that pages show its beginning and link to the whole."""

ASKED = ("Explain it in at least 40 words.", HEBREW + UNBROKEN, CHINESE + EMOJI)
ANSWERS = {"long": LONG, "rtl": HEBREW, "cjk": CHINESE, "emoji": EMOJI, "unbroken": UNBROKEN}


def fill(studio: Studio, folder: Path) -> None:
    """The project `filled` with all that the flow makes, and `begun` with prompts alone."""
    prompts: list[Mapping[str, Any]] = [
        {"key": number, "prompt": text} for number, text in enumerate(ASKED, 1)
    ]
    file = _rows(folder / f"{UNBROKEN[:60]}.jsonl", [*prompts, {"key": 4}])
    of_project = ("--project", FILLED)
    studio.command("import_prompts", str(file), *of_project)
    studio.command("import_prompts", str(file), "--project", BEGUN)
    for policy, answer in ANSWERS.items():
        rows = [{"prompt": one["prompt"], "response": answer} for one in prompts]
        file = _rows(folder / f"{policy}.jsonl", rows)
        studio.command("import_rollouts", str(file), *of_project, "--policy", policy)
    studio.command("make_specs", *of_project, "--method", "model")
    studio.command("make_specs", *of_project, "--method", "model", "--remake")
    studio.command("run_checks", *of_project)
    studio.command("judge", *of_project)
    studio.command("reward", *of_project)
    studio.command("create_user", "rita", *of_project, "--role", "reviewer")
    consent = ("--approve-as", "rita", "--waive", "to be looked at")
    studio.command("freeze", *of_project, "--out", str(folder / "bundle"), *consent)
    # What comes after a bundle counts as changed since. The demo has verdicts of an older text.
    studio.command("make_specs", *of_project, "--method", "model", "--remake")
    consent = ("--approve-as", "demo-reviewer", "--waive", "to be looked at")
    demo = ("--project", "demo-project", "--out", str(folder / "demo"))
    studio.command("freeze", *demo, *consent)


def send_files(visitor: Visitor, folder: Path) -> None:
    """One file of each kind that nobody has decided on yet."""
    file = _rows(folder / "waiting.jsonl", [{"prompt": "One more", "response": "Yes"}])
    for step in ("prompts", "rollouts"):
        visitor.open(f"/p/{FILLED}/{step}/import/")
        hands = Mouse(visitor.page)
        hands.send(file)
        hands.use("Send and look at it")
        visitor.page.get_by_role("button", name="Check all rows").wait_for()


def _rows(file: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return file
