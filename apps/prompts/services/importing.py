"""What every import of rows has in common: its record, its tally, its place in the trail.

An import is one transaction. Either all of it is there, with the record of the import, or, after a
kill at any moment, nothing is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import services as accounts
from apps.accounts.models import Project, User
from apps.activity import services as activity
from apps.activity.errors import BadInput
from apps.prompts.models import Import, Reject
from apps.prompts.reading import BadRow, FileFormat, TextFile
from apps.prompts.services.bulk import copy_rows, lock_imports
from apps.prompts.shapes.columns import Mapped

REJECTS_SHOWN = 100
COLUMNS_NAMED = 40
ORIGIN_CHARACTERS = {"licence": 100, "url": 500, "allowed_use": 200}
REJECT_COLUMNS = ("source_id", "line", "column", "reason", "excerpt")


class Origin(NamedTuple):
    """Where a file comes from and what it may be used for, in the words of who imports it."""

    licence: str = ""
    url: str = ""
    allowed_use: str = ""


NO_ORIGIN = Origin()


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


def begin(
    project: Project,
    *,
    kind: Import.Kind,
    file: TextFile,
    options: dict[str, Any],
    origin: Origin,
    actor: User | None,
) -> Import:
    """Take the project's turn and open the record of an import."""
    _check_origin(origin)
    lock_imports(project)
    number = accounts.allocate_numbers(project=project, kind="import")[0]
    return Import.objects.create(
        project=project,
        number=number,
        kind=kind,
        filename=file.source.name[-255:],
        sha256=file.source.sha256,
        size=file.source.size,
        format=file.format.value,
        encoding=file.encoding,
        options=options,
        created_by=actor,
        **origin._asdict(),
    )


def _check_origin(origin: Origin) -> None:
    for name, value in origin._asdict().items():
        limit = ORIGIN_CHARACTERS[name]
        if len(value) > limit:
            raise BadInput(
                _("%(name)s has %(count)d characters: use at most %(limit)d.")
                % {"name": name, "count": len(value), "limit": limit}
            )


def reject(record: Import, tally: Tally, rows: list[BadRow]) -> None:
    """List rows that are not taken."""
    tally.rejected += len(rows)
    tally.rejects.extend(rows[: REJECTS_SHOWN - len(tally.rejects)])
    copy_rows(Reject, REJECT_COLUMNS, [(record.pk, *row) for row in rows])


def finish(record: Import, tally: Tally, *, actor: User | None) -> None:
    """Close the record. Raises BadInput, which undoes the import, for a file without rows."""
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


def chosen_format(format: str, *, shapes: Iterable[str] = ()) -> ChosenFormat:
    """What `format` names: nothing ("auto"), a file format or a row shape. Raises BadInput."""
    if format in ("", "auto"):
        return ChosenFormat("", "")
    if format in list(FileFormat):
        return ChosenFormat(format, "")
    if format in list(shapes):
        return ChosenFormat("", format)
    raise BadInput(
        _("There is no format %(format)r: use %(known)s.")
        % {"format": format[:40], "known": ", ".join(["auto", *FileFormat, *shapes])}
    )


def mapped_columns(columns: Mapping[str, str] | None, known: Mapping[str, str]) -> Mapped:
    """The columns that a person named, by the parts of the row shapes. Raises BadInput."""
    unknown = sorted(set(columns or {}) - set(known))
    if unknown:
        raise BadInput(
            _("There is no part %(part)r: name a column for %(known)s.")
            % {"part": unknown[0], "known": ", ".join(known)}
        )
    return tuple((known[part], name) for part, name in (columns or {}).items())
