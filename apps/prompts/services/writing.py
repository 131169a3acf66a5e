"""Deciding what each prompt of a batch is, and writing the batch by COPY."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db import connection
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts import services as accounts
from apps.accounts.models import Project
from apps.prompts import selectors
from apps.prompts.models import Domain, Import, Passage, Prompt, PromptRevision, Reference
from apps.prompts.services.bulk import check_now, copy_rows, reserve_ids
from apps.prompts.services.importing import Tally
from apps.prompts.services.prepared import PreparedPrompt
from rubricstudio.core.canonical import sha256_hex

PROMPT_COLUMNS = (
    *("id", "project_id", "number", "key", "has_external_id", "domain_id", "split", "tags"),
    *("current_id", "created_at"),
)
REVISION_COLUMNS = (
    *("id", "prompt_id", "revision", "messages", "tools", "columns", "given", "content_sha256"),
    *("text_sha256", "excerpt", "characters", "source_id", "created_at"),
)
PASSAGE_COLUMNS = ("revision_id", "position", "title", "text", "url")
REFERENCE_COLUMNS = ("revision_id", "position", "text")
MOVE_CURRENT = """
UPDATE prompts_prompt SET current_id = moved.revision_id
FROM unnest(%s::bigint[], %s::bigint[]) AS moved (prompt_id, revision_id)
WHERE prompts_prompt.id = moved.prompt_id
"""


@dataclass(slots=True)
class _Known:
    """A prompt while a batch is decided. `given_before` holds what this file gave in an earlier
    import, as long as that is what the prompt still says.
    """

    prompt_id: int
    revision: int = 0
    revision_id: int = 0
    content: str = ""
    in_this_import: bool = False
    given_before: set[str] = field(default_factory=set)


class _Revision(NamedTuple):
    known: _Known
    number: int
    prompt: PreparedPrompt


class PromptWriter:
    """Writes the batches of one import, in the import's transaction and under its lock."""

    def __init__(self, project: Project, record: Import, tally: Tally) -> None:
        self.project = project
        self.record = record
        self.tally = tally
        # Repeated in every row; a model looks its key up anew each time.
        self._source_id, self._project_id = record.pk, project.pk
        self._at = timezone.now().isoformat()
        self._domains: dict[str, int] = {}
        self._repeated = 0
        self._first_repeat = ""

    def write(self, batch: Sequence[PreparedPrompt]) -> None:
        """Add a batch. Rows are decided in their order, so that the last text of a key counts."""
        known = self._look_up(batch)
        new: dict[str, PreparedPrompt] = {}
        for prompt in batch:
            if prompt.key not in known:
                new.setdefault(prompt.key, prompt)
        for key, prompt_id in zip(new, reserve_ids(Prompt, len(new)), strict=True):
            known[key] = _Known(prompt_id)
        revisions = [made for prompt in batch if (made := self._decide(known[prompt.key], prompt))]
        self._write_revisions(revisions)
        self._write_prompts(list(new.values()), known)
        self._move_current(revisions, kept={known[key].prompt_id for key in new})
        check_now()
        for names in {prompt.column_names for prompt in batch}:
            self.tally.see_columns(names)

    def close(self) -> None:
        """Tell what a reader of the report should know."""
        if self._repeated:
            note = ngettext(
                "%(count)d row gives a prompt of this file again with other content: it became "
                "the next revision, and the last one counts. First: %(where)s.",
                "%(count)d rows give a prompt of this file again with other content: each became "
                "its next revision, and the last one counts. First: %(where)s.",
                self._repeated,
            )
            self.tally.notes.append(note % {"count": self._repeated, "where": self._first_repeat})

    def _look_up(self, batch: Sequence[PreparedPrompt]) -> dict[str, _Known]:
        current = selectors.current_texts(self.record, {prompt.key for prompt in batch})
        given_before = selectors.last_given(
            {
                text.prompt_id
                for prompt in batch
                if (text := current.get(prompt.key))
                and text.given_before
                and text.content_sha256 != prompt.content_sha256
            }
        )
        return {
            key: _Known(
                text.prompt_id,
                text.revision,
                content=text.content_sha256,
                in_this_import=text.in_this_import,
                given_before=given_before.get(text.prompt_id, set()),
            )
            for key, text in current.items()
        }

    def _decide(self, known: _Known, prompt: PreparedPrompt) -> _Revision | None:
        content = prompt.content_sha256
        if content == known.content or content in known.given_before:
            self.tally.identical += 1
            return None
        if known.revision:
            self.tally.changed += 1
        else:
            self.tally.new += 1
        if known.in_this_import:
            self._note_repeat(prompt)
        known.revision += 1
        known.content, known.in_this_import, known.given_before = content, True, set()
        return _Revision(known, known.revision, prompt)

    def _note_repeat(self, prompt: PreparedPrompt) -> None:
        self._repeated += 1
        self._first_repeat = self._first_repeat or _("line %(line)d (%(key)s)") % {
            "line": prompt.line,
            "key": prompt.key[:80],
        }

    def _write_revisions(self, revisions: Sequence[_Revision]) -> None:
        if not revisions:
            return
        made_with_ids = list(
            zip(reserve_ids(PromptRevision, len(revisions)), revisions, strict=True)
        )
        for revision_id, made in made_with_ids:
            made.known.revision_id = revision_id
        rows = [self._revision_row(revision_id, made) for revision_id, made in made_with_ids]
        copy_rows(PromptRevision, REVISION_COLUMNS, rows)
        passages = [
            (revision_id, position, *passage)
            for revision_id, made in made_with_ids
            for position, passage in enumerate(made.prompt.extras.passages, 1)
        ]
        references = [
            (revision_id, position, text)
            for revision_id, made in made_with_ids
            for position, text in enumerate(made.prompt.extras.references, 1)
        ]
        copy_rows(Passage, PASSAGE_COLUMNS, passages)
        copy_rows(Reference, REFERENCE_COLUMNS, references)

    def _revision_row(self, revision_id: int, made: _Revision) -> tuple[object, ...]:
        prompt = made.prompt
        return (
            *(revision_id, made.known.prompt_id, made.number),
            *(prompt.messages, prompt.tools, prompt.columns, prompt.given),
            *(prompt.content_sha256, prompt.text_sha256, prompt.excerpt, prompt.characters),
            *(self._source_id, self._at),
        )

    def _write_prompts(self, new: Sequence[PreparedPrompt], known: dict[str, _Known]) -> None:
        if not new:
            return
        numbers = accounts.allocate_numbers(project=self.project, kind="prompt", count=len(new))
        rows = [
            self._prompt_row(number, prompt, known[prompt.key])
            for number, prompt in zip(numbers, new, strict=True)
        ]
        copy_rows(Prompt, PROMPT_COLUMNS, rows)

    def _prompt_row(self, number: int, prompt: PreparedPrompt, known: _Known) -> tuple[object, ...]:
        extras = prompt.extras
        return (
            *(known.prompt_id, self._project_id, number, prompt.key, prompt.has_external_id),
            *(self._domain_id(extras.domain), extras.split, extras.tags or "{}"),
            *(known.revision_id, self._at),
        )

    def _domain_id(self, name: str) -> int | None:
        if not name:
            return None
        if name not in self._domains:
            domain, _created = Domain.objects.get_or_create(
                project=self.project, key=domain_key(name), defaults={"name": name}
            )
            self._domains[name] = domain.pk
        return self._domains[name]

    def _move_current(self, revisions: Sequence[_Revision], *, kept: set[int]) -> None:
        moved = {
            made.known.prompt_id: made.known.revision_id
            for made in revisions
            if made.known.prompt_id not in kept
        }
        if moved:
            with connection.cursor() as cursor:
                cursor.execute(MOVE_CURRENT, [list(moved), list(moved.values())])


def domain_key(name: str) -> str:
    """The short name of a domain; one that no Latin letters can spell is told by its hash."""
    return slugify(name)[:60] or f"domain-{sha256_hex(name.encode())[:12]}"
