"""Reads of prompts. Lists never touch messages, columns or what was given: excerpts are enough."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple, TypeVar
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db import connection
from django.db.models import Model, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import JSONObject

from apps.accounts.models import Project, ProjectCounter
from apps.prompts.models import Domain, Import, Prompt, PromptRevision, Reject, Upload

LISTED = (
    *("number", "key", "has_external_id", "split", "tags", "created_at", "archived_at"),
    *("domain__key", "current__revision", "current__excerpt", "current__characters"),
)

MOST_NUMBER = 2**31 - 1
Row = TypeVar("Row", bound=Model)
MOST_SOURCES = 200
RECENT = 20


class CurrentText(NamedTuple):
    """What a prompt says at present, by its hash.

    `in_this_import`: the import that asks wrote it. `given_before`: an earlier import of the same
    file, read in the same way, did.
    """

    prompt_id: int
    revision: int
    content_sha256: str
    in_this_import: bool
    given_before: bool


class Match(NamedTuple):
    """A prompt that a rollout may belong to."""

    key: str
    revision_id: int
    text_sha256: str


# Thousands of keys at once: one array is a hundred times cheaper to send than as many parameters.
CURRENT_TEXTS = """
SELECT prompt.key, prompt.id, text.revision, text.content_sha256, source.id = asking.id,
    source.id <> asking.id AND source.sha256 = asking.sha256 AND source.options = asking.options
FROM prompts_import AS asking
JOIN prompts_prompt AS prompt ON prompt.project_id = asking.project_id
JOIN prompts_promptrevision AS text ON text.id = prompt.current_id
JOIN prompts_import AS source ON source.id = text.source_id
WHERE asking.id = %s AND prompt.key = ANY(%s)
"""
# The revisions of the import that wrote the current one, and the one that it found.
LAST_GIVEN = """
SELECT text.prompt_id, text.content_sha256
FROM prompts_prompt AS prompt
JOIN prompts_promptrevision AS newest ON newest.id = prompt.current_id
JOIN prompts_promptrevision AS text ON text.prompt_id = prompt.id
WHERE prompt.id = ANY(%s) AND text.revision >= (
    SELECT min(own.revision) - 1 FROM prompts_promptrevision AS own
    WHERE own.prompt_id = prompt.id AND own.source_id = newest.source_id
)
"""
MATCHES = """
SELECT prompt.key, text.id, text.text_sha256
FROM prompts_prompt AS prompt
JOIN prompts_promptrevision AS text ON text.id = prompt.current_id
WHERE prompt.project_id = %s
"""


def current_texts(asking: Import, keys: Iterable[str]) -> dict[str, CurrentText]:
    """The prompts with these keys; the cost depends on the keys, not on the project."""
    with connection.cursor() as cursor:
        cursor.execute(CURRENT_TEXTS, [asking.pk, list(keys)])
        return {key: CurrentText(*text) for key, *text in cursor.fetchall()}


def last_given(prompt_ids: Iterable[int]) -> dict[int, set[str]]:
    """Of each prompt, the contents that the import behind its current text found and gave.

    When the same file is imported again, its rows are among these.
    """
    contents: dict[int, set[str]] = defaultdict(set)
    with connection.cursor() as cursor:
        cursor.execute(LAST_GIVEN, [list(prompt_ids)])
        for prompt_id, content in cursor.fetchall():
            contents[prompt_id].add(content)
    return contents


def matches_by_key(project: Project, keys: Iterable[str]) -> dict[str, Match]:
    """The current revisions of the prompts with these keys."""
    with connection.cursor() as cursor:
        cursor.execute(MATCHES + "AND prompt.key = ANY(%s)", [project.pk, list(keys)])
        return {row[0]: Match(*row) for row in cursor.fetchall()}


def matches_by_text(project: Project, texts: Iterable[str]) -> dict[str, list[Match]]:
    """The current revisions whose folded last user turn has one of these sha256."""
    found: dict[str, list[Match]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(MATCHES + "AND text.text_sha256 = ANY(%s)", [project.pk, list(texts)])
        for row in cursor.fetchall():
            found[row[2]].append(Match(*row))
    return found


def list_prompts(project: Project) -> QuerySet[Prompt]:
    """The prompts of a project with what a list shows of them."""
    return (
        Prompt.objects.filter(project=project)
        .select_related("domain", "current")
        .only("project", *LISTED)
    )


def prompts_with_sources(project: Project) -> QuerySet[Prompt]:
    """The prompts of a project as their page lists them: each with the file it came from."""
    source = ("current__source__number", "current__source__filename")
    return list_prompts(project).select_related("current__source").only("project", *LISTED, *source)


def search(
    rows: QuerySet[Row], words: str, *, of: str = "", text: str = "current__"
) -> QuerySet[Row]:
    """Those whose number is the words, or whose key or excerpt holds each of them.

    `of` leads from a row to its prompt, `text` to the revision. Without an index: one over the
    words of the excerpts makes the import of a prompt six times as dear, and a look at 100,000
    excerpts takes a fifth of a second at worst.
    """
    if words.isdecimal() and int(words) <= MOST_NUMBER:
        return rows.filter(Q(**{f"{of}number": int(words)}) | _holds(words, of, text))
    for word in words.split():
        rows = rows.filter(_holds(word, of, text))
    return rows


def _holds(word: str, of: str, text: str) -> Q:
    return Q(**{f"{of}key__icontains": word}) | Q(**{f"{text}excerpt__icontains": word})


class ListFrame(NamedTuple):
    """What stands around the list of prompts: how many there are, their files and domains."""

    total: int
    sources: list[tuple[str, str]]
    domains: list[tuple[str, str]]


def list_frame(project: Project) -> ListFrame:
    """In one query, whatever the size of the project; of the files, the newest."""
    of_project = {"project": OuterRef("pk")}
    last = ProjectCounter.objects.filter(kind="prompt", **of_project).values("last")
    files = Import.objects.filter(kind=Import.Kind.PROMPTS, finished_at__isnull=False, **of_project)
    domains = Domain.objects.filter(**of_project).order_by("name")
    row = Project.objects.filter(pk=project.pk).values(
        total=Subquery(last),
        sources=ArraySubquery(
            files.order_by("-number").values(one=JSONObject(value="number", label="filename"))[
                :MOST_SOURCES
            ]
        ),
        domain_choices=ArraySubquery(domains.values(one=JSONObject(value="key", label="name"))),
    )
    found = row.get()
    return ListFrame(
        found["total"] or 0, _choices(found["sources"]), _choices(found["domain_choices"])
    )


def _choices(rows: Iterable[dict[str, str]]) -> list[tuple[str, str]]:
    return [(str(row["value"]), row["label"]) for row in rows]


def find_prompt(project: Project, number: int) -> Prompt | None:
    return (
        Prompt.objects.filter(project=project, number=number)
        .select_related("domain", "current__source")
        .first()
    )


class Neighbours(NamedTuple):
    """The numbers of the prompts beside one; None at the ends."""

    previous: int | None
    next: int | None


def neighbours(prompt: Prompt) -> Neighbours:
    of_project = Prompt.objects.filter(project_id=prompt.project_id)
    numbers = of_project.values_list("number", flat=True)
    before = numbers.filter(number__lt=prompt.number).order_by("-number")
    after = numbers.filter(number__gt=prompt.number).order_by("number")
    return Neighbours(before.first(), after.first())


def find_revision(prompt: Prompt, revision: int) -> PromptRevision | None:
    return prompt.revisions.filter(revision=revision).select_related("source").first()


def list_revisions(prompt: Prompt) -> QuerySet[PromptRevision]:
    """The revisions of a prompt, newest first, without their texts."""
    return (
        prompt.revisions.order_by("-revision")
        .select_related("source")
        .only("prompt", "revision", "content_sha256", "characters", "created_at", "source__number")
    )


def list_imports(project: Project) -> QuerySet[Import]:
    return Import.objects.filter(project=project)


def recent_imports(project: Project, kind: str) -> QuerySet[Import]:
    """The newest imports of one kind, with who asked for them."""
    done = list_imports(project).filter(kind=kind, finished_at__isnull=False)
    return done.select_related("created_by").order_by("-number")[:RECENT]


def find_import(project: Project, number: int) -> Import | None:
    return list_imports(project).filter(number=number).select_related("created_by").first()


class Terms(NamedTuple):
    """What a file may be used for, and where it comes from; empty where nobody said."""

    licence: str
    url: str
    allowed_use: str


def terms_of(imports: Iterable[Import]) -> dict[int, Terms]:
    """The terms of each import by its id: its own, else those of the same file imported again.

    So a licence that was forgotten is said by importing the file once more with it.
    """
    found = {one.pk: one for one in imports}
    silent = [one for one in found.values() if not one.licence]
    if silent:
        again = Import.objects.exclude(licence="").filter(
            kind=Import.Kind.PROMPTS,
            project__in={one.project_id for one in silent},
            sha256__in={one.sha256 for one in silent},
        )
        said = {(one.project_id, one.sha256): one for one in again.order_by("number")}
        found |= {one.pk: said.get((one.project_id, one.sha256), one) for one in silent}
    return {pk: Terms(of.licence, of.url, of.allowed_use) for pk, of in found.items()}


def open_uploads(project: Project, kind: str) -> QuerySet[Upload]:
    """Files that were sent and not imported yet, newest first."""
    waiting = Upload.objects.filter(project=project, kind=kind, source__isnull=True)
    return waiting.select_related("created_by", "project").order_by("-id")[:RECENT]


def find_upload(project: Project, kind: str, key: UUID) -> Upload | None:
    return (
        Upload.objects.filter(project=project, kind=kind, key=key)
        .select_related("project", "check_job", "import_job", "source", "created_by")
        .first()
    )


def list_rejects(source: Import) -> QuerySet[Reject]:
    return Reject.objects.filter(source=source)
