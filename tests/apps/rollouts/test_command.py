"""The command that scripts rely on."""

import io
import json

import pytest
from django.core.management import call_command

from apps.rollouts.models import Rollout
from tests.factories import make_project, make_prompt

pytestmark = pytest.mark.django_db


def run(*arguments):
    output, errors = io.StringIO(), io.StringIO()
    code: object = 0
    try:
        call_command("import_rollouts", *map(str, arguments), stdout=output, stderr=errors)
    except SystemExit as ended:
        code = ended.code
    return code, json.loads(output.getvalue().splitlines()[-1]), errors.getvalue()


@pytest.fixture
def project():
    project = make_project("tides")
    make_prompt(project, "Why?", key="a")
    return project


def test_rollouts_are_imported_under_the_policy(project, save):
    path = save([{"prompt": "Why?", "response": "So."}])

    assert run(path, "--project", "tides", "--policy", "gpt")[:2] == (
        0,
        {"new": 1, "identical": 0, "changed": 0, "rejected": 0},
    )
    assert Rollout.objects.get().policy.name == "gpt"


def test_rollouts_that_match_nothing_are_listed_and_a_failure(project, save):
    path = save([{"prompt": "How?", "response": "So."}])

    code, printed, errors = run(path, "--project", "tides", "--policy", "gpt")

    assert (code, printed["rejected"]) == (1, 1)
    assert "line 1: no prompt of this project has this text." in errors


def test_a_project_that_does_not_exist_is_told(db, save):
    path = save([{"prompt": "How?", "response": "So."}])

    code, printed, _errors = run(path, "--project", "nowhere", "--policy", "gpt")

    assert (code, printed["new"]) == (1, 0)
    assert "nowhere" in printed["error"]


def test_a_dry_run_writes_nothing(project, save):
    path = save([{"prompt": "Why?", "response": "So."}])

    code, printed, _errors = run(path, "--project", "tides", "--policy", "gpt", "--dry-run")

    assert (code, printed["new"], Rollout.objects.count()) == (0, 1, 0)
