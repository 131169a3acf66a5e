"""Importing prompts from a file."""

from __future__ import annotations

from apps.accounts.models import Project, User
from apps.prompts.models import Import
from apps.prompts.reading import Row
from apps.prompts.services.importing import (
    ImportFile,
    ImportResult,
    chosen_format,
    mapped_columns,
    run_import,
)
from apps.prompts.services.pipeline import Batch
from apps.prompts.services.prepared import PreparedPrompt, prepare_prompt
from apps.prompts.services.writing import PromptWriter
from apps.prompts.shapes import MAPPABLE, SHAPES, Shape


def import_prompts(
    project: Project, file: ImportFile, *, dry_run: bool = False, actor: User | None = None
) -> ImportResult:
    """Read prompts from a file into a project: all that can be read, or nothing.

    A prompt is known by its external id, else by its messages. A row with a new key is new; one
    that says what the prompt says already is identical; any other is changed and becomes the next
    revision, so that the last text of a file counts. Importing a file twice in a row changes
    nothing, even if it gives a prompt several texts. Domain, tags and split are set when a prompt
    is new, and left to people after.

    Raises BadInput for a file that cannot be used as a whole; then nothing is written.
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
    )
