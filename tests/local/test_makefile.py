"""What `make` says when the environment cannot be made; interpreters here only act as such."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from rubricstudio.local import paths
from tests.browser.conftest import why_no_browser

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    shutil.copy(paths.CHECKOUT / "Makefile", tmp_path)
    for name in ("requirements.lock", "requirements-test.lock", "pyproject.toml"):
        (tmp_path / name).touch()
    return tmp_path


def interpreter(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho \"$@\" >> '{path}.calls'\n{body}\n")
    path.chmod(0o755)
    return path


def make(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run make as from a shell, although the suite may itself run under make."""
    of_make = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}
    environment = {name: value for name, value in os.environ.items() if name not in of_make}
    return subprocess.run(
        ["make", *arguments], cwd=checkout, env=environment, capture_output=True, text=True
    )


def test_without_arguments_the_targets_are_listed(checkout):
    listed = [line.split()[1] for line in make(checkout).stdout.splitlines()]

    phony = re.search(r"^\.PHONY: (.*) \$\(", (checkout / "Makefile").read_text(), re.M)
    assert phony
    assert listed[:5] == ["help", "setup", "run", "test", "check"]
    assert sorted(listed) == sorted(phony[1].split())


def test_without_a_python_the_wanted_version_is_named(checkout):
    answer = make(checkout, "setup", "PYTHON=")

    assert answer.returncode != 0
    assert "needs Python 3.11 or newer" in answer.stderr


def test_a_python_that_is_too_old_is_named(checkout):
    old = interpreter(checkout / "old", 'test "$1" = --version && echo Python 3.9.2; exit 1')

    assert "is Python 3.9.2" in make(checkout, "setup", f"PYTHON={old}").stderr


def test_a_python_without_ensurepip_names_the_package(checkout):
    bare = interpreter(checkout / "bare", 'test "$2" != "import ensurepip"')

    answer = make(checkout, "setup", f"PYTHON={bare}")

    assert "lacks ensurepip: apt-get install python3-venv" in answer.stderr
    assert not (checkout / ".venv").exists()


def test_a_package_that_cannot_be_installed_says_what_that_means(checkout):
    interpreter(checkout / ".venv/bin/python", "exit 1")

    answer = make(checkout, "setup")

    assert answer.returncode != 0
    assert "a package without a wheel for this platform means" in answer.stderr
    assert not (checkout / ".venv/for-test").exists()


def test_packages_are_installed_by_their_hashes_and_once(checkout):
    python = interpreter(checkout / ".venv/bin/python", "exit 0")

    make(checkout, "setup")
    make(checkout, "setup")

    calls = Path(f"{python}.calls").read_text().splitlines()
    assert len(calls) == 2  # the lock, and the checkout itself
    assert "--no-deps --require-hashes --only-binary :all: -r requirements-test.lock" in calls[0]


def test_a_changed_lock_is_installed_again(checkout):
    python = interpreter(checkout / ".venv/bin/python", "exit 0")
    make(checkout, "setup")
    stamp = checkout / ".venv/for-test"
    later = stamp.stat().st_mtime + 10
    os.utime(checkout / "requirements-test.lock", (later, later))

    make(checkout, "setup")

    assert len(Path(f"{python}.calls").read_text().splitlines()) == 4


def test_a_test_that_fails_fails_the_suite(checkout):
    python = interpreter(checkout / ".venv/bin/python", 'test "$2" != pytest')

    answer = make(checkout, "test", "DATABASE_URL=")

    runs = [call for call in Path(f"{python}.calls").read_text().splitlines() if "pytest" in call]
    assert answer.returncode != 0
    assert len(runs) == 1


def test_pages_in_a_browser_have_a_target_of_their_own(checkout):
    interpreter(checkout / ".venv/bin/python", "exit 0")

    suite = make(checkout, "--dry-run", "test").stdout

    assert '-m "not vllm and not model and not browser" -n' in suite
    assert "tests/browser" not in suite
    assert "pytest -m browser tests/browser" in make(checkout, "--dry-run", "test-pages").stdout


def test_pages_are_not_opened_where_no_browser_is_wanted_and_the_reason_is_told(monkeypatch):
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("RUBRICSTUDIO_NO_BROWSER", "1")
    assert why_no_browser().startswith("RUBRICSTUDIO_NO_BROWSER is set")

    monkeypatch.delenv("RUBRICSTUDIO_NO_BROWSER")
    assert why_no_browser() == ""
