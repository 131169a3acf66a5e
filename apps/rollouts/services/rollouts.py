"""Importing rollouts from a file."""

from __future__ import annotations

from functools import partial

from django.utils.translation import gettext as _

from apps.accounts.models import Project, User
from apps.activity.errors import BadInput
from apps.prompts.models import Import, Upload
from apps.prompts.reading import Row, RowError
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
from apps.prompts.shapes.columns import Mapped
from apps.rollouts.services.prepared import prepare_rollouts
from apps.rollouts.services.writing import RolloutWriter
from apps.rollouts.shapes import MAPPABLE, RolloutValue, read_rollouts
from apps.rollouts.shapes.rollout import NAME_CHARACTERS, PARTS

ANYBODY = "policy"
"""Who answered does not decide how a row is read."""


def import_rollouts(
    project: Project,
    file: ImportFile,
    *,
    policy: str,
    dry_run: bool = False,
    actor: User | None = None,
    watch: Watch = unwatched,
) -> ImportResult:
    """Read rollouts from a file into a project: all that can be read, or nothing.

    A rollout belongs to the current revision of the prompt that its id names, else of the one
    whose last user turn has its text, white space folded; what matches none is rejected. It is
    known by prompt revision, policy, step and key (its id, else its content and the number of its
    occurrence): the same content there is identical, other content is changed and becomes the next
    revision. `policy` names who answered where no column does.

    Raises BadInput for a file that cannot be used as a whole; then nothing is written. `watch` is
    told how many rows were dealt with.
    """
    chosen = chosen_format(file.format)
    mapped = mapped_columns(file.columns, MAPPABLE)
    return run_import(
        project,
        file,
        kind=Import.Kind.ROLLOUTS,
        file_format=chosen.file,
        prepare=partial(prepare_rollouts, policy=checked_policy(policy), mapped=mapped),
        writer=RolloutWriter,
        dry_run=dry_run,
        actor=actor,
        watch=watch,
    )


def read_row(row: Row, _shape: str, mapped: Mapped) -> list[RolloutValue]:
    """One row as an import would read it. Raises RowError for one that it would reject."""
    found = read_rollouts(row, policy=ANYBODY, mapped=mapped)
    for one in found:
        if isinstance(one, RowError):
            raise one
    return [one for one in found if isinstance(one, RolloutValue)]


def take_upload(
    upload: Upload, file: ImportFile, *, dry_run: bool, actor: User | None, watch: Watch
) -> ImportResult:
    policy = upload.extra.get("policy", "")
    return import_rollouts(
        upload.project, file, policy=policy, dry_run=dry_run, actor=actor, watch=watch
    )


IMPORTER = Importer(
    kind=Import.Kind.ROLLOUTS,
    quick_task="apps.rollouts.tasks.take_quick_upload",
    long_task="apps.rollouts.tasks.take_long_upload",
    parts=PARTS,
    mappable=MAPPABLE,
    read=read_row,
    take=take_upload,
)


def checked_policy(policy: str) -> str:
    """The name of who answered, trimmed. Raises BadInput for one that cannot be kept."""
    name = policy.strip()
    if not 0 < len(name) <= NAME_CHARACTERS or not name.isprintable():
        raise BadInput(
            _("The name of a policy has 1 to %(limit)d printable characters.")
            % {"limit": NAME_CHARACTERS}
        )
    return name
