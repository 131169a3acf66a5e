"""An archived project is read-only, by whatever way somebody writes into it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction

from apps.accounts import services as accounts
from apps.accounts.models import Project, Role, Scope
from apps.activity import services as activity
from apps.activity.errors import Conflict
from apps.activity.models import AuditEvent, Job
from apps.bundles import services as bundles
from apps.judging import services as judging
from apps.prompts.services import ImportFile, import_prompts
from apps.rewards import services as rewards
from apps.rollouts.services import import_rollouts
from apps.specs import services as specs
from tests.apps.rewards.world import criteria, save_spec
from tests.factories import (
    make_member,
    make_project,
    make_prompt,
    make_rollout,
    make_run,
    make_token,
    make_user,
)

pytestmark = pytest.mark.django_db
Act = Callable[[Project, Path], Any]


@pytest.fixture
def project() -> Project:
    project = make_project("tides")
    prompt = make_prompt(project)
    save_spec(prompt, criteria())
    make_rollout(prompt)
    make_run(project, state="paused")
    rewards.config_named(project=project, name="default")
    return project


def job(project: Project) -> Job:
    return activity.create_job(kind="x", task="x", arguments={}, project=project)


ACTS: dict[str, Act] = {
    "import prompts": lambda project, file: import_prompts(project, ImportFile(file)),
    "import rollouts": lambda project, file: import_rollouts(project, ImportFile(file), policy="x"),
    "make specs": lambda project, _file: specs.start_making(project=project, method="given"),
    "approve specs": lambda project, _file: specs.approve_all(
        project, actor=make_user(is_superuser=True)
    ),
    "check": lambda project, _file: judging.run_checks(project=project),
    "save a configuration": lambda project, _file: rewards.save_config(
        project=project, name="x", settings={"aggregator": "hybrid"}
    ),
    "freeze": lambda project, _file: bundles.freeze(
        project=project, config=project.reward_configs.get(), waive="x"
    ),
    "change settings": lambda project, _file: accounts.change_settings(
        project=project, changes={"checker_error": "fail"}
    ),
    "take a number": lambda project, _file: accounts.allocate_numbers(project=project, kind="x"),
    "start a job": lambda project, _file: job(project),
}


@pytest.mark.parametrize("name", ACTS)
def test_every_act_is_refused_with_a_sentence_and_leaves_nothing(project, tmp_path, name):
    file = tmp_path / "rows.jsonl"
    file.write_text('{"prompt": "Why does the sea have tides?", "response": "The Moon."}\n')
    accounts.archive_project(project=project)
    events = AuditEvent.objects.count()

    with pytest.raises(Conflict, match="archived and read-only"), transaction.atomic():
        ACTS[name](project, file)

    assert AuditEvent.objects.count() == events


def test_a_paused_job_is_not_resumed(project):
    paused = job(project)
    activity.pause_job(job=paused)
    accounts.archive_project(project=project)

    with pytest.raises(Conflict, match="read-only"):
        activity.resume_job(job=paused)


def test_unarchived_it_goes_on_as_it_was(project):
    accounts.archive_project(project=project)
    accounts.unarchive_project(project=project)

    accounts.change_settings(project=project, changes={"checker_error": "fail"})
    verbs = list(AuditEvent.objects.values_list("verb", flat=True).order_by("pk"))
    assert verbs[-3:] == ["project.archived", "project.unarchived", "project.settings_changed"]


def test_who_may_enter_can_still_be_changed(project):
    accounts.archive_project(project=project)

    user = make_user()
    accounts.grant_role(project=project, user=user, role=Role.AUDITOR)
    accounts.revoke_token(token=make_token(project).token)
    accounts.create_invitation(project=project, roles=[Role.AUDITOR])

    assert user.memberships.count() == 1


def test_its_retention_goes_on(project):
    accounts.archive_project(project=project)

    activity.record(verb="project.call_texts_dropped", target=project, project=project)

    assert AuditEvent.objects.filter(verb="project.call_texts_dropped").exists()


def test_while_jobs_are_under_way_it_is_not_archived(project):
    job(project)

    with pytest.raises(Conflict, match="1 job of the project is under way"):
        accounts.archive_project(project=project)


def test_a_page_says_the_sentence(client, project):
    client.force_login(make_member(project, Role.ADMIN))
    page = client.get("/p/tides/settings/")
    accounts.archive_project(project=project)
    said = {**page.context["form"].initial, "name": "Other"}

    answer = client.post("/p/tides/settings/general/", said)

    assert answer.status_code == 409
    assert "archived and read-only" in answer.content.decode()


def test_the_api_says_the_sentence(client, project):
    token = make_token(project, Scope.PROMPTS_WRITE).plaintext
    accounts.archive_project(project=project)

    answer = client.post(
        "/api/v1/projects/tides/prompts",
        data='{"prompt": "Why?"}',
        content_type="application/x-ndjson",
        headers={"authorization": f"Bearer {token}"},
    )

    assert answer.status_code == 409
    assert "archived and read-only" in answer.json()["error"]


def test_a_command_says_the_sentence(project, capsys):
    accounts.archive_project(project=project)

    with pytest.raises(SystemExit):
        call_command("run_checks", project="tides")

    assert "archived and read-only" in capsys.readouterr().err
