"""The answers in words: what is, and what to do where something is wrong."""

from __future__ import annotations

import platform
import shutil
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

import django
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.studio.health.checks import FULL, Answer, Facts, ask_all, ask_workers

LITTLE_SPACE = 2 * 1024**3
GIB = 1024**3


@dataclass(frozen=True)
class Part:
    """One part of the system: whether it is well, a sentence, what to do, and lines of detail."""

    name: str
    label: str
    ok: bool
    sentence: str
    advice: str = ""
    lines: list[str] = field(default_factory=list)


def all_parts() -> list[Part]:
    """Every part in the order in which one depends on the other."""
    answers = ask_all()
    return [
        _database(answers["database"]),
        _queue(answers["queue"]),
        _model(answers["model"]),
        _workers(answers["workers"].facts),
        _jail(answers["jail"]),
        _disk(),
        _versions(),
    ]


def _database(answer: Answer) -> Part:
    label = _("Database")
    if answer.ok:
        sentence = _("PostgreSQL %(version)s answers.") % answer.facts
        return Part("database", label, True, sentence)
    return Part(
        "database",
        label,
        False,
        _("The database does not answer."),
        _("Look at its log in the data folder, and at DATABASE_URL if you set it."),
    )


def _queue(answer: Answer) -> Part:
    label = _("Queue")
    if answer.ok:
        return Part("queue", label, True, _("The queue (%(transport)s) answers.") % answer.facts)
    return Part(
        "queue",
        label,
        False,
        _("The queue does not answer, so new work is not started. What is queued is kept."),
        _("Check CELERY_BROKER_URL; without it the queue is in the database."),
    )


def _model(answer: Answer) -> Part:
    label = _("Model server")
    if answer.ok:
        return Part("model", label, True, _("%(address)s answers.") % answer.facts)
    if not answer.configured:
        return Part(
            "model",
            label,
            False,
            _("No model server is named, so nothing can be generated or judged."),
            _("Set LLM_BASE_URL and LLM_MODEL, or start the embedded model with manage.py up."),
        )
    return Part(
        "model",
        label,
        False,
        _("The model server does not answer. Runs pause; verdicts so far are kept."),
        _("Start it, or check LLM_BASE_URL; then resume the paused runs."),
    )


def workers_part() -> Part:
    """Which workers live, read directly: for a page that has reached the database anyway."""
    return _workers(ask_workers())


def _workers(facts: Facts) -> Part:
    label = _("Workers")
    workers = facts.get("workers", [])
    if workers:
        count = len(workers)
        sentence = ngettext("%d worker answers.", "%d workers answer.", count) % count
        lines = [f"{worker.name}: {', '.join(worker.queues)}" for worker in workers]
        return Part("workers", label, True, sentence, lines=lines)
    return Part(
        "workers",
        label,
        False,
        _silence(facts.get("silent_for")),
        _("Jobs stay queued and run when one comes back: start manage.py up, or a worker."),
    )


def _silence(seconds: int | None) -> str:
    if seconds is None:
        return _("No worker has ever answered.")
    return _("No worker has answered for %(seconds)d s.") % {"seconds": seconds}


def _jail(answer: Answer) -> Part:
    label = _("Jail for generated checkers")
    if not answer.ok:
        sentence = _("The jail does not answer, so generated checkers are unavailable.")
        return Part("jail", label, False, sentence, _("See: manage.py checker_doctor"))
    full = answer.facts["rung"] == FULL
    return Part(
        "jail",
        label,
        full,
        answer.facts["meaning"],
        "" if full else _("Each wall, and how it was tried: manage.py checker_doctor"),
        lines=[
            f"{one.name}: {_('stands') if one.stands else _('fell')}; {one.how}"
            for one in answer.facts["layers"]
        ],
    )


def _disk() -> Part:
    folder = settings.DATA_DIR if settings.DATA_DIR.exists() else settings.BASE_DIR
    usage = shutil.disk_usage(folder)
    sizes = {"free": f"{usage.free / GIB:.1f}", "total": f"{usage.total / GIB:.1f}"}
    sentence = _("%(free)s of %(total)s GiB are free where the data is.") % sizes
    enough = usage.free >= LITTLE_SPACE
    advice = "" if enough else _("Make room: the database stops when the disk is full.")
    return Part("disk", _("Disk"), enough, sentence, advice)


def _versions() -> Part:
    sentence = _("Rubric Studio %(studio)s on Python %(python)s and Django %(django)s.") % {
        "studio": _own_version(),
        "python": platform.python_version(),
        "django": django.get_version(),
    }
    return Part("versions", _("Versions"), True, sentence)


def _own_version() -> str:
    try:
        return version("rubricstudio")
    except PackageNotFoundError:
        return _("(not installed)")
