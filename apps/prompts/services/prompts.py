"""Importing prompts from a file: the act, and what a person may say about the file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from django.conf import settings
from django.db import transaction

from apps.accounts.models import Project, User
from apps.prompts.models import Import
from apps.prompts.reading import Row, open_source, recognise
from apps.prompts.services import importing
from apps.prompts.services.importing import NO_ORIGIN, ImportResult, Origin, Tally
from apps.prompts.services.pipeline import batches
from apps.prompts.services.prepared import PreparedPrompt, prepare_prompt
from apps.prompts.services.writing import PromptWriter
from apps.prompts.shapes import MAPPABLE, Shape


def import_prompts(
    project: Project,
    *,
    path: Path,
    name: str = "",
    format: str = "auto",
    encoding: str = "",
    columns: Mapping[str, str] | None = None,
    origin: Origin = NO_ORIGIN,
    dry_run: bool = False,
    actor: User | None = None,
) -> ImportResult:
    """Read prompts from a file into a project: all that can be read, or nothing.

    A prompt is known by its external id, else by its messages. A row with a new key is new; one
    that says what the prompt says already is identical; any other is changed and becomes the next
    revision, so that the last text of a file counts. Importing a file twice in a row changes
    nothing, even if it gives a prompt several texts.

    `format` names a file format or a row shape, `columns` the column for a part
    (`{"prompt": "Story"}`), `name` what to call the file. A dry run does all of it and then takes
    it back. Domain, tags and split are set when a prompt is new, and left to people after.

    Raises BadInput for a file that cannot be used as a whole; then nothing is written.
    """
    chosen = importing.chosen_format(format, shapes=list(Shape))
    mapped = importing.mapped_columns(columns, MAPPABLE)
    source = open_source(path, limit=settings.IMPORT_MAX_BYTES, name=name)
    file = recognise(source, format=chosen.file, encoding=encoding)

    def prepare(row: Row) -> list[PreparedPrompt]:
        return [prepare_prompt(row, shape=Shape(chosen.shape or "auto"), mapped=mapped)]

    with transaction.atomic():
        record = importing.begin(
            project,
            kind=Import.Kind.PROMPTS,
            file=file,
            options={"format": format, "encoding": encoding, "columns": dict(columns or {})},
            origin=origin,
            actor=actor,
        )
        tally = Tally()
        writer = PromptWriter(project, record, tally)
        for batch in batches(file, prepare):
            importing.reject(record, tally, batch.rejected)
            writer.write(batch.ready)
        writer.close()
        importing.finish(record, tally, actor=actor)
        transaction.set_rollback(dry_run)
    return ImportResult(tally, None if dry_run else record)
