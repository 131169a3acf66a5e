"""From a file that somebody sent to an import: looked at, checked by a dry run, imported.

Check and import are jobs of one transaction each. When a worker dies, nothing of the file was
taken and another worker begins anew; what an import wrote and that its job is done are one write.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import Project, User
from apps.activity import services as activity
from apps.activity.errors import ApplicationError, BadInput, Conflict
from apps.activity.models import Job
from apps.prompts.models import Import, Upload
from apps.prompts.reading import Row, storable
from apps.prompts.services.importing import (
    ImportFile,
    ImportResult,
    Tally,
    Watch,
    check_origin,
    chosen_format,
    mapped_columns,
)
from apps.prompts.shapes.columns import Mapped, Parts

QUICK_BYTES = 8 * 1024**2
"""A smaller file is done in seconds, so it need not wait behind long work."""
KEPT_FOR = timedelta(days=7)
UNSAID = {
    **{"format": "auto", "encoding": "", "columns": {}},
    **{"licence": "", "url": "", "allowed_use": ""},
}
"""What an upload says about its file at first: nothing."""


class Take(Protocol):
    """Imports the file of an upload."""

    def __call__(
        self,
        upload: Upload,
        file: ImportFile,
        *,
        dry_run: bool,
        actor: User | None,
        watch: Watch,
    ) -> ImportResult: ...


@dataclass(frozen=True)
class Importer:
    """How files of one kind are read.

    `read` looks at one row as the import would and raises RowError for a bad one; `parts` and
    `mappable` are what columns may play and what a person may name one for; `shapes` the row
    shapes that can be forced. The tasks carry small files and large ones.
    """

    kind: Import.Kind
    quick_task: str
    long_task: str
    parts: Parts
    mappable: Mapping[str, str]
    read: Callable[[Row, str, Mapped], object]
    take: Take
    shapes: Sequence[str] = ()


@transaction.atomic
def save_upload(
    *, project: Project, kind: Import.Kind, received: Path, filename: str, size: int, actor: User
) -> Upload:
    """Keep a file that lies in the folder of uploads; it is linked, not copied."""
    upload = Upload.objects.create(
        project=project,
        kind=kind,
        filename=storable(filename)[-255:],
        size=size,
        options=UNSAID,
        created_by=actor,
    )
    os.link(received, upload.path)
    return upload


def file_of(upload: Upload) -> ImportFile:
    """The file with what the person said about it."""
    return ImportFile(path=upload.path, name=upload.filename, **upload.options)


@transaction.atomic
def change_upload(
    upload: Upload, importer: Importer, *, options: Mapping[str, Any], extra: Mapping[str, Any]
) -> Upload:
    """Say other things about the file: the check that was made without them counts no more.

    Raises BadInput for what no import takes, and Conflict while a job works on the file.
    """
    locked = _open(upload)
    said = {name: options[name] for name in UNSAID}
    if (said, dict(extra)) == (locked.options, locked.extra):
        return locked
    chosen_format(said["format"], shapes=importer.shapes)
    mapped_columns(said["columns"], importer.mappable)
    check_origin(ImportFile(path=upload.path, **said))
    locked.options, locked.extra, locked.check_job = said, dict(extra), None
    locked.save(update_fields=["options", "extra", "check_job"])
    return locked


@transaction.atomic
def start_check(upload: Upload, importer: Importer, *, actor: User) -> Job:
    """A job that does everything an import does and takes it back; the caller enqueues it."""
    locked = _open(upload)
    locked.check_job = _job(locked, importer, actor, dry_run=True)
    locked.save(update_fields=["check_job"])
    return locked.check_job


@transaction.atomic
def start_import(upload: Upload, importer: Importer, *, actor: User) -> Job:
    """A job that imports the file; the caller enqueues it.

    Raises Conflict where no check with the present options has ended, or another job is at it.
    """
    locked = _open(upload)
    if locked.check_job is None or locked.check_job.state != Job.State.DONE:
        raise Conflict(_("Check the file first: its rows have not been looked at as they are now."))
    locked.import_job = _job(locked, importer, actor, dry_run=False)
    locked.save(update_fields=["import_job"])
    return locked.import_job


def _open(upload: Upload) -> Upload:
    """The row, locked, while something can still be done with the file."""
    locked = (
        Upload.objects.select_for_update(of=("self",))
        .select_related("project", "check_job", "import_job", "source")
        .get(pk=upload.pk)
    )
    if locked.source is not None:
        raise Conflict(
            _("This file was imported already, as import %(number)d.")
            % {"number": locked.source.number}
        )
    if any(job is not None and not job.is_final for job in (locked.check_job, locked.import_job)):
        raise Conflict(_("A job is at work on this file: wait for its end, or cancel it."))
    if not locked.path.exists():
        raise BadInput(file_is_gone(locked))
    return locked


def file_is_gone(upload: Upload) -> str:
    return _(
        "%(name)s is no longer here: files that nobody imports are kept for %(days)d days. Send it "
        "again."
    ) % {"name": upload.filename, "days": KEPT_FOR.days}


def _job(upload: Upload, importer: Importer, actor: User, *, dry_run: bool) -> Job:
    checked = upload.check_job.result if upload.check_job else {}
    return activity.create_job(
        kind=f"{'check' if dry_run else 'import'}_{upload.kind}",
        task=importer.quick_task if upload.size < QUICK_BYTES else importer.long_task,
        arguments={"upload": upload.pk, "dry_run": dry_run},
        project=upload.project,
        requested_by=actor,
        total=None if dry_run else checked.get("rows"),
    )


class _GivenUp(Exception):
    """Somebody else has the job, or it was paused or cancelled."""


class _GivenBack(Exception):
    """This process is to end."""


def carry_upload(
    *,
    job: Job,
    importer: Importer,
    worker: str,
    ending: Callable[[], bool] = lambda: False,
) -> bool:
    """Carry a queued check or import to its end; whether it went back to the queue instead.

    A job that somebody else has, or that is paused or over, is left alone, so a message may come
    twice.
    """
    if not activity.start_job(job=job, worker=worker):
        return False
    upload = Upload.objects.select_related("project").get(pk=job.arguments["upload"])
    try:
        with activity.Beating(job) as beating:
            _take(upload, importer, job, _watch(beating, ending))
    except _GivenBack:
        return activity.release_job(job=job)
    except _GivenUp:
        return False
    except ApplicationError as error:
        activity.fail_job(job=job, cause="bad_input", error=error.message)
        return False
    if not job.arguments["dry_run"]:
        for path in (upload.path, upload.head_path):
            path.unlink(missing_ok=True)
    return False


def _watch(beating: activity.Beating, ending: Callable[[], bool]) -> Watch:
    def watch(rows: int) -> None:
        beating.done = rows
        if beating.lost:
            raise _GivenUp
        if ending():
            raise _GivenBack

    return watch


@transaction.atomic
def _take(upload: Upload, importer: Importer, job: Job, watch: Watch) -> None:
    """All of it, or nothing: rows, the record of the import, and that the job is done."""
    if not upload.path.exists():
        raise BadInput(file_is_gone(upload))
    dry_run = job.arguments["dry_run"]
    result = importer.take(
        upload, file_of(upload), dry_run=dry_run, actor=job.requested_by, watch=watch
    )
    if not dry_run:
        upload.source = result.record
        upload.save(update_fields=["source"])
    report = _report(result.tally)
    told = activity.beat(job=job, done=report["rows"])
    if not (told and activity.finish_job(job=job, result=report)):
        raise _GivenUp


def _report(tally: Tally) -> dict[str, Any]:
    counts = tally.counts()
    return {
        **counts,
        "rows": sum(counts.values()),
        "rejects": [one._asdict() for one in tally.rejects],
        "notes": tally.notes,
    }


def forget_uploads() -> int:
    """Drop the files that nobody imported for a week, and what broken uploads left; how many."""
    before = (timezone.now() - KEPT_FOR).timestamp()
    folder = settings.UPLOADS_DIR
    stale = (
        [one for one in folder.iterdir() if one.stat().st_mtime < before] if folder.exists() else []
    )
    for path in stale:
        path.unlink(missing_ok=True)
    return len(stale)
