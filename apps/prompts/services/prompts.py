"""Importing prompts from a file."""

from __future__ import annotations

from apps.accounts.models import Project, User
from apps.prompts.models import Import, Upload
from apps.prompts.reading import Row
from apps.prompts.services.importing import (
    ImportFile,
    ImportResult,
    Watch,
    chosen_format,
    mapped_columns,
    run_import,
    unwatched,
)
from apps.prompts.services.intake import Importer
from apps.prompts.services.pipeline import Batch
from apps.prompts.services.prepared import PreparedPrompt, prepare_prompt
from apps.prompts.services.writing import PromptWriter
from apps.prompts.shapes import MAPPABLE, SHAPES, Shape
from apps.prompts.shapes.columns import Mapped
from apps.prompts.shapes.prompt import PARTS


def import_prompts(
    project: Project,
    file: ImportFile,
    *,
    dry_run: bool = False,
    actor: User | None = None,
    watch: Watch = unwatched,
) -> ImportResult:
    """Read prompts from a file into a project: all that can be read, or nothing.

    A prompt is known by its external id, else by its messages. A row with a new key is new; one
    that says what the prompt says already is identical; any other is changed and becomes the next
    revision, so that the last text of a file counts. Importing a file twice in a row changes
    nothing, even if it gives a prompt several texts. Domain, tags and split are set when a prompt
    is new, and left to people after.

    Raises BadInput for a file that cannot be used as a whole; then nothing is written. `watch` is
    told how many rows were dealt with.
    """
    chosen = chosen_format(file.format, shapes=SHAPES)
    shape, mapped = Shape(chosen.shape or Shape.AUTO), mapped_columns(file.columns, MAPPABLE)

    def prepare(row: Row, batch: Batch[PreparedPrompt]) -> None:
        batch.ready.append(prepare_prompt(row, shape=shape, mapped=mapped))

    return run_import(
        project,
        file,
        kind=Import.Kind.PROMPTS,
        file_format=chosen.file,
        prepare=prepare,
        writer=PromptWriter,
        dry_run=dry_run,
        actor=actor,
        watch=watch,
    )


def read_row(row: Row, shape: str, mapped: Mapped) -> PreparedPrompt:
    """One row as an import would read it. Raises RowError for one that it would reject."""
    return prepare_prompt(row, shape=Shape(shape or Shape.AUTO), mapped=mapped)


def take_upload(
    upload: Upload, file: ImportFile, *, dry_run: bool, actor: User | None, watch: Watch
) -> ImportResult:
    return import_prompts(upload.project, file, dry_run=dry_run, actor=actor, watch=watch)


IMPORTER = Importer(
    kind=Import.Kind.PROMPTS,
    quick_task="apps.prompts.tasks.take_quick_upload",
    long_task="apps.prompts.tasks.take_long_upload",
    parts=PARTS,
    mappable=MAPPABLE,
    shapes=SHAPES,
    read=read_row,
    take=take_upload,
)
