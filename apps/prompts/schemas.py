"""Shapes of what the API says about imports and prompts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Schema

from apps.prompts.models import Import, Passage, Prompt, PromptRevision, Reject
from apps.prompts.reading import BadRow
from apps.prompts.services import ImportResult

# Published so that nobody trains on the set it marks: kept, and never shown.
HIDDEN_COLUMNS = {"canary"}


class RejectOut(Schema):
    """A row that was not taken: where, why, and its first characters."""

    line: int
    column: int | None
    reason: str
    excerpt: str

    @classmethod
    def of(cls, reject: Reject | BadRow) -> RejectOut:
        return cls(
            line=reject.line, column=reject.column, reason=reject.reason, excerpt=reject.excerpt
        )


class ImportDone(Schema):
    """What became of a file; `number` is null for a dry run, `rejects` holds the first 100."""

    number: int | None
    new: int
    identical: int
    changed: int
    rejected: int
    rejects: list[RejectOut]
    notes: list[str]

    @classmethod
    def of(cls, result: ImportResult) -> ImportDone:
        return cls(
            number=result.record.number if result.record else None,
            rejects=[RejectOut.of(row) for row in result.tally.rejects],
            notes=result.tally.notes,
            **result.tally.counts(),
        )


class ImportOut(Schema):
    number: int
    kind: str
    filename: str
    sha256: str
    size: int
    format: str
    encoding: str
    licence: str
    url: str
    allowed_use: str
    new: int
    identical: int
    changed: int
    rejected: int
    notes: list[str]
    created_at: datetime


class ImportPage(Schema):
    items: list[ImportOut]
    next: str | None

    @classmethod
    def of(cls, items: list[Import], after: str | None) -> ImportPage:
        return cls(items=[ImportOut.from_orm(item) for item in items], next=after)


class RejectPage(Schema):
    items: list[RejectOut]
    next: str | None


class PromptListed(Schema):
    number: int
    key: str
    has_external_id: bool
    revision: int | None
    excerpt: str
    characters: int
    domain: str | None
    split: str
    tags: list[str]
    created_at: datetime

    @classmethod
    def of(cls, prompt: Prompt) -> PromptListed:
        current = prompt.current
        return cls(
            number=prompt.number,
            key=prompt.key,
            has_external_id=prompt.has_external_id,
            revision=current.revision if current else None,
            excerpt=current.excerpt if current else "",
            characters=current.characters if current else 0,
            domain=prompt.domain.key if prompt.domain else None,
            split=prompt.split,
            tags=prompt.tags,
            created_at=prompt.created_at,
        )


class PromptPage(Schema):
    items: list[PromptListed]
    next: str | None


class PassageOut(Schema):
    position: int
    title: str
    text: str
    url: str


class RevisionListed(Schema):
    revision: int
    content_sha256: str
    characters: int
    source: int
    created_at: datetime

    @classmethod
    def of(cls, revision: PromptRevision) -> RevisionListed:
        return cls(
            revision=revision.revision,
            content_sha256=revision.content_sha256,
            characters=revision.characters,
            source=revision.source.number,
            created_at=revision.created_at,
        )


class PromptOut(PromptListed):
    """A prompt with the text of one revision, and the list of all of them, newest first."""

    messages: list[dict[str, Any]]
    tools: list[Any]
    columns: dict[str, Any]
    given: dict[str, Any]
    passages: list[PassageOut]
    references: list[str]
    source: int
    revisions: list[RevisionListed]

    @classmethod
    def with_text(
        cls, prompt: Prompt, text: PromptRevision, revisions: list[PromptRevision]
    ) -> PromptOut:
        shown = PromptListed.of(prompt).dict() | {
            "revision": text.revision,
            "excerpt": text.excerpt,
            "characters": text.characters,
        }
        return cls(
            **shown,
            messages=text.messages,
            tools=text.tools,
            columns=shown_columns(text.columns),
            given=text.given,
            passages=[_passage(one) for one in text.passages.all()],
            references=[one.text for one in text.references.all()],
            source=text.source.number,
            revisions=[RevisionListed.of(one) for one in revisions],
        )


def shown_columns(columns: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in columns.items() if name not in HIDDEN_COLUMNS}


def _passage(passage: Passage) -> PassageOut:
    return PassageOut(
        position=passage.position, title=passage.title, text=passage.text, url=passage.url
    )
