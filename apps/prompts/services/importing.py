"""What every import of rows has in common: the file, its record, its tally, its place in the trail.

An import is one transaction. Either all of it is there, with the record of the import, or, after a
kill at any moment, nothing is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import services as accounts
from apps.accounts.models import Project, User
from apps.activity import services as activity
from apps.activity.errors import BadInput
from apps.prompts.models import Import, Reject
from apps.prompts.reading import (
    BadRow,
    FileFormat,
    TextFile,
    open_source,
    recognise,
    storable,
)
from apps.prompts.services.bulk import copy_rows, lock_imports
from apps.prompts.services.pipeline import Prepare, batches
from apps.prompts.shapes.columns import Mapped

REJECTS_SHOWN = 100
COLUMNS_NAMED = 40
REJECT_COLUMNS = ("source_id", "line", "column", "reason", "excerpt")
ORIGIN_CHARACTERS = {"licence": 100, "url": 500, "allowed_use": 200}
Prepared = TypeVar("Prepared")
Written = TypeVar("Written", contravariant=True)


@dataclass(frozen=True, slots=True)
class ImportFile:
    """A file and what a person says about it; everything but the path may be left out.

    `format` names a file format or a row shape, `encoding` a codec, `columns` the column that
    plays a part (`{"prompt": "Story"}`); what is not named is found out. `name` is what to call
    the file; `licence`, `url` and `allowed_use` say where it is from and what it may be used for.
    """

    path: Path
    name: str = ""
    format: str = "auto"
    encoding: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    licence: str = ""
    url: str = ""
    allowed_use: str = ""


@dataclass(slots=True)
class Tally:
    """What became of the rows so far; `rejects` holds the first of them only."""

    new: int = 0
    identical: int = 0
    changed: int = 0
    rejected: int = 0
    rejects: list[BadRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    column_names: dict[str, None] = field(default_factory=dict)

    def counts(self) -> dict[str, int]:
        return {
            "new": self.new,
            "identical": self.identical,
            "changed": self.changed,
            "rejected": self.rejected,
        }

    def see_columns(self, names: Iterable[str]) -> None:
        if len(self.column_names) < COLUMNS_NAMED:
            self.column_names.update(dict.fromkeys(names))


class ImportResult(NamedTuple):
    """The tally of an import, and its record; a dry run leaves none."""

    tally: Tally
    record: Import | None


Watch = Callable[[int], None]
"""Is told after each batch how many rows were dealt with; what it raises ends the import."""


def unwatched(_rows: int) -> None:
    return None


class Writer(Protocol[Written]):
    """Decides what each prepared row is, counts it and writes it."""

    def write(self, batch: Sequence[Written]) -> None: ...

    def close(self) -> None: ...


def run_import(
    project: Project,
    file: ImportFile,
    *,
    kind: Import.Kind,
    file_format: str,
    prepare: Prepare[Prepared],
    writer: Callable[[Project, Import, Tally], Writer[Prepared]],
    dry_run: bool,
    actor: User | None,
    watch: Watch,
) -> ImportResult:
    """Read, decide and write a file, batch by batch, in one transaction.

    A dry run does all of it and then takes it back. Raises BadInput for a file that cannot be used
    as a whole; then, and when `watch` raises, nothing is written.
    """
    check_origin(file)
    source = open_source(file.path, limit=settings.IMPORT_MAX_BYTES, name=file.name)
    text = recognise(source, format=file_format, encoding=file.encoding)
    with transaction.atomic():
        lock_imports(project)
        record, tally = _open_record(project, kind, file, text, actor), Tally()
        rows = writer(project, record, tally)
        with closing(batches(text, prepare)) as made:
            for batch in made:
                reject(record, tally, batch.rejected)
                rows.write(batch.ready)
                watch(sum(tally.counts().values()))
        rows.close()
        _close_record(record, tally, actor)
        if dry_run:
            transaction.set_rollback(True)
    return ImportResult(tally, None if dry_run else record)


def check_origin(file: ImportFile) -> None:
    for name, limit in ORIGIN_CHARACTERS.items():
        value = getattr(file, name)
        if len(value) > limit or not value.isprintable():
            raise BadInput(
                _("%(name)s has at most %(limit)d characters, all of them printable.")
                % {"name": name, "limit": limit}
            )


def _open_record(
    project: Project, kind: Import.Kind, file: ImportFile, text: TextFile, actor: User | None
) -> Import:
    said = asdict(file)
    return Import.objects.create(
        project=project,
        number=accounts.allocate_numbers(project=project, kind="import")[0],
        kind=kind,
        filename=storable(text.source.name)[-255:],
        sha256=text.source.sha256,
        size=text.source.size,
        format=text.format.value,
        encoding=text.encoding,
        options={name: said[name] for name in ("format", "encoding", "columns")},
        created_by=actor,
        **{name: said[name] for name in ORIGIN_CHARACTERS},
    )


def reject(record: Import, tally: Tally, rows: list[BadRow]) -> None:
    """List rows that are not taken."""
    tally.rejected += len(rows)
    tally.rejects.extend(rows[: REJECTS_SHOWN - len(tally.rejects)])
    copy_rows(Reject, REJECT_COLUMNS, [(record.pk, *row) for row in rows])


def _close_record(record: Import, tally: Tally, actor: User | None) -> None:
    if not sum(tally.counts().values()):
        raise BadInput(
            _("%(name)s holds no rows: there is nothing to import.") % {"name": record.filename}
        )
    if tally.column_names:
        names = ", ".join(list(tally.column_names)[:COLUMNS_NAMED])
        tally.notes.append(_("Kept as columns: %(names)s.") % {"names": names})
    for name, count in tally.counts().items():
        setattr(record, name, count)
    record.notes, record.finished_at = tally.notes, timezone.now()
    record.save(update_fields=[*tally.counts(), "notes", "finished_at"])
    activity.record(
        verb=f"{record.kind}.imported",
        target=record,
        project=record.project,
        actor=actor,
        detail={"filename": record.filename, "sha256": record.sha256, **tally.counts()},
    )


class ChosenFormat(NamedTuple):
    """A file format and a row shape; each is empty where it is to be found out."""

    file: str
    shape: str


def chosen_format(format: str, *, shapes: Sequence[str] = ()) -> ChosenFormat:
    """What `format` names: nothing ("auto"), a file format or a row shape. Raises BadInput."""
    if format in ("", "auto"):
        return ChosenFormat("", "")
    if format in list(FileFormat):
        return ChosenFormat(format, "")
    if format in shapes:
        return ChosenFormat("", format)
    raise BadInput(
        _("There is no format %(format)r: use %(known)s.")
        % {"format": format[:40], "known": ", ".join(["auto", *FileFormat, *shapes])}
    )


def mapped_columns(columns: Mapping[str, str], known: Mapping[str, str]) -> Mapped:
    """The columns that a person named, by the parts of the row shapes. Raises BadInput."""
    unknown = sorted(set(columns) - set(known))
    if unknown:
        raise BadInput(
            _("There is no part %(part)r: name a column for %(known)s.")
            % {"part": unknown[0], "known": ", ".join(known)}
        )
    return tuple((known[part], name) for part, name in columns.items())
