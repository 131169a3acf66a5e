"""Every step from an empty project to a bundle, by the mouse alone and by the keyboard alone.

The parts are real: the embedded database, the queue with its workers, the embedded model; the
prompts are the first of a published set, with its published responses.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from rubricstudio.scoring.cli import main as rubricstudio
from tests.browser.conftest import NewVisitor, Visitor
from tests.browser.hands import Hands, Keyboard, Mouse
from tests.e2e.studio import Studio
from tests.shared_data import shared_path

pytestmark = [pytest.mark.model, pytest.mark.shared]

PROMPTS = 3
MINUTES = 60_000
PATIENCE = 8 * MINUTES


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with Studio(tmp_path_factory.mktemp("studio")) as running:
        yield running


def first_rows(name: str, folder: Path) -> Path:
    lines = shared_path(f"ifeval/{name}").read_text().splitlines()[:PROMPTS]
    file = folder / name
    file.write_text("\n".join(lines) + "\n")
    return file


@pytest.mark.parametrize("kind", [Mouse, Keyboard])
def test_a_person_gets_from_a_file_to_a_bundle(
    new_visitor: NewVisitor, tmp_path: Path, kind: type[Hands]
) -> None:
    visitor = new_visitor(accept_downloads=True)
    hands = kind(visitor.page)

    create_project(hands, visitor, f"By {kind.__name__}")
    import_file(hands, visitor, "Prompts", "g p", first_rows("input_data.jsonl", tmp_path))
    make_specs(hands, visitor)
    import_rollouts(hands, visitor, first_rows("responses_gpt4.jsonl", tmp_path))
    run_checks(hands, visitor)
    judge(hands, visitor)
    compute(hands, visitor)
    bundle = freeze(hands, visitor, tmp_path)

    assert rubricstudio(["verify", str(bundle)]) == 0


def create_project(hands: Hands, visitor: Visitor, name: str) -> None:
    visitor.open("/projects/")
    hands.fill("Name", name)
    hands.use("Create the project")
    visitor.page.get_by_role("heading", name=name).wait_for()


def import_file(hands: Hands, visitor: Visitor, step: str, keys: str, file: Path) -> None:
    hands.go(step, keys)
    hands.use("Import")
    hands.send(file)
    hands.use("Send and look at it")
    visitor.sees("Which column plays which part")
    if step == "Rollouts":
        hands.fill("Policy of all rows", "gpt-4")
    hands.use("Check all rows")
    visitor.page.get_by_role("button", name=f"Import {PROMPTS} rows").wait_for(timeout=MINUTES)
    hands.use(f"Import {PROMPTS} rows")
    visitor.page.get_by_text("Imported as import").wait_for(timeout=MINUTES)


def import_rollouts(hands: Hands, visitor: Visitor, file: Path) -> None:
    import_file(hands, visitor, "Rollouts", "g t", file)


def make_specs(hands: Hands, visitor: Visitor) -> None:
    hands.go("Specs", "g s")
    hands.use("Make specs")
    hands.fill("How many prompts at most", "1")
    hands.use("Make specs")
    visitor.page.locator("#making .state.done").wait_for(timeout=PATIENCE)


def run_checks(hands: Hands, visitor: Visitor) -> None:
    hands.go("Runs", "g r")
    hands.use("Checks")
    hands.use("Run the checks")
    visitor.page.get_by_role("heading", name="Check run 1").wait_for(timeout=MINUTES)


def judge(hands: Hands, visitor: Visitor) -> None:
    hands.go("Runs", "g r")
    hands.use("Start a run")
    hands.fill("At most", "1")
    hands.use("Start the run")
    visitor.page.locator(".pill.done").wait_for(timeout=PATIENCE)


def compute(hands: Hands, visitor: Visitor) -> None:
    hands.go("Rewards", "g w")
    hands.use("Compute rewards")
    hands.use("Compute")
    visitor.page.get_by_role("heading", name="Reward run 1").wait_for(timeout=MINUTES)


def freeze(hands: Hands, visitor: Visitor, folder: Path) -> Path:
    """The unpacked bundle."""
    hands.go("Bundles", "g b")
    hands.use("Freeze a bundle")
    hands.use("Approve all of them")
    hands.fill_all("Why “", "only a try")
    hands.use("Freeze in spite of the open items")
    visitor.page.get_by_role("link", name="Download as tar").wait_for(timeout=MINUTES)
    with visitor.page.expect_download() as download:
        hands.use("Download as tar")
    return unpacked(Path(download.value.path()), folder)


def unpacked(archive: Path, folder: Path) -> Path:
    import tarfile

    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    manifest = next(folder.rglob("manifest.json"))
    assert json.loads(manifest.read_text())
    return manifest.parent
