"""Importing rollouts from a file: the act, and what a person may say about the file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts.models import Project, User
from apps.activity.errors import BadInput
from apps.prompts.models import Import
from apps.prompts.reading import open_source, recognise
from apps.prompts.services import importing
from apps.prompts.services.importing import NO_ORIGIN, ImportResult, Origin, Tally
from apps.prompts.services.pipeline import batches
from apps.rollouts.services.prepared import prepare_rollouts
from apps.rollouts.services.writing import RolloutWriter
from apps.rollouts.shapes import MAPPABLE
from apps.rollouts.shapes.rollout import NAME_CHARACTERS


def import_rollouts(
    project: Project,
    *,
    policy: str,
    path: Path,
    name: str = "",
    format: str = "auto",
    encoding: str = "",
    columns: Mapping[str, str] | None = None,
    origin: Origin = NO_ORIGIN,
    dry_run: bool = False,
    actor: User | None = None,
) -> ImportResult:
    """Read rollouts from a file into a project: all that can be read, or nothing.

    A rollout belongs to the current revision of the prompt that its id names, else of the one
    whose last user turn has its text, white space folded; what matches none is rejected. It is
    known by prompt revision, policy, step and key (its id, else its content and the number of its
    occurrence): the same content there is identical, other content is changed and becomes the next
    revision. `policy` names the model where no column does. Options as for import_prompts.

    Raises BadInput for a file that cannot be used as a whole; then nothing is written.
    """
    chosen = importing.chosen_format(format)
    prepare = partial(
        prepare_rollouts,
        policy=_checked(policy),
        mapped=importing.mapped_columns(columns, MAPPABLE),
    )
    source = open_source(path, limit=settings.IMPORT_MAX_BYTES, name=name)
    file = recognise(source, format=chosen.file, encoding=encoding)
    with transaction.atomic():
        record = importing.begin(
            project,
            kind=Import.Kind.ROLLOUTS,
            file=file,
            options={"format": format, "encoding": encoding, "columns": dict(columns or {})},
            origin=origin,
            actor=actor,
        )
        tally = Tally()
        writer = RolloutWriter(project, record, tally)
        for batch in batches(file, prepare):
            importing.reject(record, tally, batch.rejected)
            writer.write(batch.ready)
        writer.close()
        importing.finish(record, tally, actor=actor)
        transaction.set_rollback(dry_run)
    return ImportResult(tally, None if dry_run else record)


def _checked(policy: str) -> str:
    name = policy.strip()
    if not 0 < len(name) <= NAME_CHARACTERS or not name.isprintable():
        raise BadInput(
            _("The name of a policy has 1 to %(limit)d printable characters.")
            % {"limit": NAME_CHARACTERS}
        )
    return name
