"""The main job end to end: commands as a person types them, on the real parts.

A real PostgreSQL, the real queue with its workers, the embedded model behind its HTTP server, and
272 published prompts with the published responses of a policy.
"""

from __future__ import annotations

import filecmp
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.e2e.studio import Studio
from tests.shared_data import ROOT, shared_path

pytestmark = [
    pytest.mark.slow,
    pytest.mark.model,
    pytest.mark.shared,
    pytest.mark.timeout(2400),
    pytest.mark.xdist_group("whole-flow"),
]

PROMPTS = 272
INSTRUCTIONS = 428
JUDGED = 5


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    with Studio(tmp_path_factory.mktemp("flow")) as running:
        yield running


@pytest.fixture(scope="module")
def flow(studio) -> dict[str, dict[str, Any]]:
    """Every step's JSON line, in the order of the README."""
    results = {}
    prompts = str(shared_path("ifeval/input_data.jsonl"))
    responses = str(shared_path("ifeval/responses_gpt4.jsonl"))
    of_project = ("--project", "flow")
    results["prompts"] = studio.command("import_prompts", prompts, *of_project)
    results["again"] = studio.command("import_prompts", prompts, *of_project)
    results["rollouts"] = studio.command(
        "import_rollouts", responses, *of_project, "--policy", "gpt-4"
    )
    results["specs"] = studio.command("make_specs", *of_project, "--limit", "8")
    # What code cannot check yet needs a rubric, and 272 of them are too many for this model.
    results["rest"] = studio.command("make_specs", *of_project, "--no-model")
    results["checks"] = studio.command("run_checks", *of_project)
    results["judge"] = studio.command("judge", *of_project, "--limit", str(JUDGED))
    results["reward"] = studio.command("reward", *of_project)
    # Here, and not in its test: tests come in any order, and what is approved stays approved.
    too_early = studio.run("freeze", *of_project, "--out", str(studio.data / "too-early"))
    results["too early"] = {"code": too_early.returncode, "said": too_early.stderr}
    studio.command("create_user", "rita", *of_project, "--role", "reviewer")
    return results


def test_every_published_prompt_and_response_is_imported_once(flow):
    whole = {"new": PROMPTS, "identical": 0, "changed": 0, "rejected": 0}

    assert flow["prompts"] == whole
    assert flow["again"] == {"new": 0, "identical": PROMPTS, "changed": 0, "rejected": 0}
    assert flow["rollouts"] == whole


def test_the_model_makes_specs_and_the_published_constraints_the_rest(flow):
    made, rest = flow["specs"], flow["rest"]

    assert made["specs"] + made["failed"] == 8
    assert made["criteria"] >= made["specs"] > 0
    assert made["specs"] + rest["specs"] + rest["failed"] == PROMPTS
    assert made["constraints"] + rest["constraints"] == INSTRUCTIONS


def test_every_checker_answers_on_every_rollout(flow):
    checks = flow["checks"]

    checkers = flow["specs"]["checkers"] + flow["rest"]["checkers"]
    assert checks["checks"] == checkers
    assert checks["passed"] + checks["failed"] + checks["unavailable"] == checks["checks"]
    # A policy of that rank follows most of what code can verify.
    assert checks["passed"] / checks["checks"] > 0.75


def test_the_embedded_model_judges_through_the_queue(flow, studio):
    run = flow["judge"]

    assert run["scored"] + run["unscored"] + run["failed"] == run["expected"]
    assert run["expected"] > JUDGED
    assert run["scored"] > 0
    assert studio.tasks_done("apps.judging.tasks.judge_shard") > 0


def test_rewards_are_counted_and_none_is_made_up(flow):
    reward = flow["reward"]

    assert reward["rewards"] >= flow["rest"]["specs"]
    assert reward["rewards"] + reward["unscored"] == PROMPTS
    assert 0 <= reward["mean"] <= 1


def test_a_freeze_without_approval_is_refused_and_says_what_is_open(flow, studio):
    refused = flow["too early"]

    assert refused["code"] == 1
    assert "not approved" in refused["said"]
    assert not (studio.data / "too-early").exists()


def test_two_freezes_give_one_bundle_byte_for_byte(flow, studio, tmp_path):
    options = ("--approve-as", "rita", "--waive", "the whole flow is on trial")
    first = studio.command("freeze", "--project", "flow", "--out", str(tmp_path / "a"), *options)

    second = studio.command("freeze", "--project", "flow", "--out", str(tmp_path / "b"), *options)

    assert first == second
    assert first["specs"] == flow["specs"]["specs"] + flow["rest"]["specs"]
    assert same_files(tmp_path / "a", tmp_path / "b")


def same_files(left: Path, right: Path) -> bool:
    names = sorted(str(path.relative_to(left)) for path in left.rglob("*") if path.is_file())
    others = sorted(str(path.relative_to(right)) for path in right.rglob("*") if path.is_file())
    _same, differ, missing = filecmp.cmpfiles(left, right, names, shallow=False)
    return names == others and not differ and not missing


def test_the_bundle_verifies_offline_and_over_rest_it_is_the_same(flow, studio, tmp_path):
    folder = tmp_path / "bundle"
    options = ("--approve-as", "rita", "--waive", "the whole flow is on trial")
    frozen = studio.command("freeze", "--project", "flow", "--out", str(folder), *options)
    token = studio.command(
        "create_token", "--project", "flow", "--scope", "bundles:read", "--name", "trainer"
    )["token"]

    verified = subprocess.run(
        [str(Path(sys.executable).parent / "rubricstudio"), "verify", str(folder)],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    served = httpx2.get(
        f"{studio.address}/api/v1/bundles/{frozen['bundle_id']}/files/specs.jsonl",
        headers={"Authorization": f"Bearer {token}"},
    )

    assert json.loads(verified.stdout.splitlines()[-1])["bundle_id"] == frozen["bundle_id"]
    assert served.content == (folder / "specs.jsonl").read_bytes()
