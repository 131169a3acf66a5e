"""The checkers of a bundle in a trainer's process: the same outcomes as in the application."""

from pathlib import Path

import pytest

from rubricstudio.core.bundle import Bundle, BundleConfig, build_bundle, write_bundle
from rubricstudio.core.types import CheckCause, CheckResult
from rubricstudio.sandbox.jail import INTERPRETER, Jail, close_shared
from rubricstudio.scoring.bundle_checks import BundleChecks
from tests.core.bundle.test_build_bundle import HEADER, TIDES
from tests.core.bundle.test_codes import CODE, SHA, spec


@pytest.fixture(autouse=True)
def closed_jail():
    yield
    close_shared()


def loaded(folder: Path, interpreter: str = INTERPRETER) -> Bundle:
    config = BundleConfig(interpreter=interpreter)
    bundle = build_bundle([spec(CODE), TIDES], header=HEADER, config=config, codes={SHA: CODE})
    write_bundle(bundle, folder / "bundle")
    return Bundle.load(folder / "bundle")


def test_data_and_code_answer_in_the_order_of_the_constraints(tmp_path):
    rows = BundleChecks(loaded(tmp_path)).check("asks", ["why?", "why.", "what?", ""])

    passed = [[one.result is CheckResult.PASSED for one in row] for row in rows]
    assert passed == [[True, True], [True, False], [False, True], [False, False]]


def test_a_prompt_without_code_needs_no_jail(tmp_path, monkeypatch):
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    checks = BundleChecks(loaded(tmp_path))

    (row,) = checks.check(TIDES.prompt_id, ["The Moon."])

    assert len(row) == len(TIDES.constraints)


def test_where_there_is_no_jail_only_the_code_is_unavailable(tmp_path, monkeypatch):
    monkeypatch.setattr("platform.system", lambda: "Darwin")

    # The jail of the process may be up already, from before.
    checks = BundleChecks(loaded(tmp_path), jail=Jail())

    ((data, code),) = checks.check("asks", ["why?"])

    assert data.result is CheckResult.PASSED
    assert (code.result, code.cause) == (CheckResult.UNAVAILABLE, CheckCause.REFUSED)


def test_another_python_than_the_one_of_validation_is_told(tmp_path):
    assert BundleChecks(loaded(tmp_path)).notice == ""

    (tmp_path / "other").mkdir()
    notice = BundleChecks(loaded(tmp_path / "other", "cpython-2.7")).notice

    assert "validated with cpython-2.7" in notice
