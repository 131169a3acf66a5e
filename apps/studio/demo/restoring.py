"""Bringing the demo project in, whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from django.db import connection, transaction
from django.utils.translation import gettext as _

from apps.accounts import services as accounts
from apps.accounts.models import Project, Role, User
from apps.activity import services as activity
from apps.activity.models import AuditEvent
from apps.judging.models import JudgeRun
from apps.judging.services import EnteredVerdict, enter_verdicts, run_checks
from apps.prompts.services import ImportFile, import_prompts
from apps.rewards.services import DEFAULT, compute_rewards, config_named, save_config
from apps.rollouts.services import import_rollouts
from apps.studio.demo.specs import SpecDesk
from apps.studio.demo.texts import GLOBAL, Said, Task, read_gaps, read_tasks

SLUG: Final = "demo-project"
JUDGE: Final = "written by hand"
"""What stands where a run names its judge: no model has read a word of it."""

AUTHOR, REVIEWER = "demo-author", "demo-reviewer"
LICENCE: Final = "Apache-2.0"
CONFIGURATIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "rubric alone": {"components": "R"},
    "no gaps": {"missing": {"kind": "unscore_response"}},
}
RESTORED: Final = "demo.restored"
LOCK: Final = 0x64656D6F  # "demo": two that restore it at once take turns


class Demo(NamedTuple):
    """The demo project; `is_new` is false where it was there already."""

    project: Project
    is_new: bool


class People(NamedTuple):
    """Who made the demo. They have no password, so nobody can sign in as them."""

    author: User
    reviewer: User


def is_there() -> bool:
    """Whether the demo project exists."""
    return Project.objects.filter(slug=SLUG).exists()


@transaction.atomic
def restore_demo(*, actor: User | None = None, first_start: bool = False) -> Demo | None:
    """The demo project, brought in where it is missing; one that is there stays as it is.

    On a first start it comes into an installation without any project only, and never a second
    time; None where it was not wanted.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    there = Project.objects.filter(slug=SLUG).first()
    if there is not None:
        return Demo(there, is_new=False)
    if first_start and not _is_untouched():
        return None
    people = People(_person(AUTHOR, _("Demo author")), _person(REVIEWER, _("Demo reviewer")))
    project = _project(people, actor or people.author)
    _fill(project, people)
    activity.record(verb=RESTORED, target=project, actor=actor)
    return Demo(project, is_new=True)


def _is_untouched() -> bool:
    """A demo that somebody deleted leaves its event behind, which belongs to no project."""
    was_there = AuditEvent.objects.filter(project__isnull=True, verb=RESTORED)
    return not Project.objects.exists() and not was_there.exists()


def _project(people: People, actor: User) -> Project:
    project = accounts.create_project(
        slug=SLUG,
        name=_("Demo project"),
        description=_(
            "Written by hand for a first look: prompts in English and Chinese with four responses "
            "each. No model gave a verdict here, so change and break what you like."
        ),
        actor=actor,
    )
    accounts.grant_role(project=project, user=people.author, role=Role.AUTHOR)
    accounts.grant_role(project=project, user=people.reviewer, role=Role.REVIEWER)
    return project


def _person(username: str, name: str) -> User:
    """Left from an earlier demo, since the trail names them, or new."""
    known = User.objects.filter(username=username).first()
    return known or accounts.create_user(username=username, display_name=name)


def _fill(project: Project, people: People) -> None:
    tasks = read_tasks()
    with TemporaryDirectory() as folder:
        _import(project, tasks, Path(folder), actor=people.author)
    desk = SpecDesk(project, author=people.author, reviewer=people.reviewer)
    desk.save(tasks)
    desk.approve(tasks)
    _judge_at_first(project, tasks, desk, people.author)
    whole = _judge(project, tasks, desk, _as_written, people.author)
    desk.edit(tasks)
    run_checks(project=project, requested_by=people.author)
    _compute(project, whole, people.author)


def _import(project: Project, tasks: Sequence[Task], folder: Path, *, actor: User) -> None:
    prompts = _file(folder / "demo-prompts.jsonl", (task.row for task in tasks))
    import_prompts(project, prompts, actor=actor)
    rollouts = _file(
        folder / "demo-rollouts.jsonl", (row for task in tasks for row in task.rollout_rows())
    )
    import_rollouts(project, rollouts, policy=JUDGE, actor=actor)


def _file(path: Path, rows: Iterable[Mapping[str, Any]]) -> ImportFile:
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return ImportFile(path, licence=LICENCE, allowed_use=_("Any; written for Rubric Studio"))


Say = Callable[[Task, str, str], Said]
"""What is said of a task's response, by policy and criterion key."""


def _as_written(task: Task, policy: str, key: str) -> Said:
    return task.responses[policy].said[key]


def _judge_at_first(
    project: Project, tasks: Sequence[Task], desk: SpecDesk, author: User
) -> JudgeRun:
    """The partly failed run: some cells of one domain have no score."""
    first = read_gaps()
    gaps = {(task, policy, key): answer for task, policy, key, answer in first["gaps"]}

    def say(task: Task, policy: str, key: str) -> Said:
        gap = gaps.get((task.id, policy, key))
        return Said(gap, first["evidence"]) if gap else _as_written(task, policy, key)

    some = [task for task in tasks if task.row["domain"] == first["domain"]]
    run = _judge(project, some, desk, say, author)
    compute_rewards(
        project=project,
        config=config_named(project=project, name=DEFAULT, author=author),
        judge_run=run,
        check_run=run_checks(project=project, requested_by=author).run,
        requested_by=author,
    )
    return run


def _judge(
    project: Project, tasks: Sequence[Task], desk: SpecDesk, say: Say, author: User
) -> JudgeRun:
    verdicts = [
        EnteredVerdict(
            rollout_id=desk.rollout_id(task, policy),
            spec_id=desk.spec(task).pk,
            criterion_id=desk.criterion_id(task, key),
            verdict=(said := say(task, policy, key)).about(desk.criterion(task, key)),
            evidence=said.evidence,
        )
        for task in tasks
        for policy in task.responses
        for key in [*(one.key for one in task.criteria), GLOBAL]
    ]
    return enter_verdicts(verdicts, project=project, judge=JUDGE, requested_by=author)


def _compute(project: Project, run: JudgeRun, author: User) -> None:
    """The rewards that the studio gives by default come last, so that they are found first."""
    saved = (
        save_config(
            project=project,
            name=name,
            settings={"aggregator": "hybrid", **settings},
            author=author,
        )
        for name, settings in CONFIGURATIONS.items()
    )
    for config in (*saved, config_named(project=project, name=DEFAULT)):
        compute_rewards(project=project, config=config, judge_run=run, requested_by=author)
