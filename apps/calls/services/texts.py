"""Long texts, each stored once under its sha256, compressed; a payload may go, its hash stays."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import project_settings
from apps.accounts.models import Project
from apps.activity import services as activity
from apps.activity.errors import Conflict
from apps.calls.models import Text

NOTED_EVERY = timedelta(days=1)
"""How often a text notes that it is used: many calls lean on one row."""
DROPPED_AT_ONCE = 5_000

# New ones, dropped ones that are sent again, and those that another project or a new day uses.
STORE = """
INSERT INTO calls_text (sha256, characters, data, project_id, used_at, created_at)
SELECT *, clock_timestamp()
FROM unnest(%s::text[], %s::int[], %s::bytea[], %s::bigint[], %s::timestamptz[])
ON CONFLICT (sha256) DO UPDATE SET
    data = coalesce(calls_text.data, excluded.data),
    project_id = CASE WHEN calls_text.project_id = excluded.project_id
                      THEN excluded.project_id END,
    used_at = greatest(calls_text.used_at, excluded.used_at)
"""
# What somebody stores again at this moment is locked, and in use.
DROP = """
UPDATE calls_text SET data = NULL WHERE sha256 IN (
    SELECT sha256 FROM calls_text
    WHERE project_id = %s AND used_at < %s AND data IS NOT NULL
    ORDER BY used_at LIMIT %s
    FOR NO KEY UPDATE SKIP LOCKED
)
"""


class TextUse(NamedTuple):
    """A text that a call leans on: of which project, and when it was made."""

    text: str
    project_id: int | None
    at: datetime


class TextRow(NamedTuple):
    """A text as its row holds it; without data its payload was dropped."""

    sha256: str
    characters: int
    data: bytes | None
    project_id: int | None
    used_at: datetime


def text_hash(text: str) -> str:
    """The sha256 of the UTF-8 text; half surrogate pairs keep a form of their own."""
    return hashlib.sha256(_encoded(text)).hexdigest()


def store_texts(uses: Iterable[TextUse]) -> None:
    """Store what is not there yet, and note who leans on it; equal texts are one row."""
    wanted = _by_hash(uses)
    there = Text.objects.filter(sha256__in=list(wanted), data__isnull=False)
    for sha256, project_id, used_at in there.values_list("sha256", "project_id", "used_at"):
        use = wanted[sha256]
        same = project_id == use.project_id and use.at - used_at < NOTED_EVERY
        if same or project_id is None:
            del wanted[sha256]
    if not wanted:
        return
    put_texts(
        TextRow(sha256, len(use.text), compressed(use.text), use.project_id, use.at)
        for sha256, use in wanted.items()
    )


def put_texts(rows: Iterable[TextRow]) -> None:
    """Rows as they are stored, each hash once; what is there keeps its payload."""
    # In the order of the hashes, so that two writers wait for each other at most, never in a ring.
    ordered = sorted(rows, key=lambda row: row.sha256)
    if ordered:
        with connection.cursor() as cursor:
            cursor.execute(STORE, [list(column) for column in zip(*ordered, strict=True)])


def _by_hash(uses: Iterable[TextUse]) -> dict[str, TextUse]:
    """One use a text: the newest one, and of no project where it is of several."""
    found: dict[str, TextUse] = {}
    for use in uses:
        sha256 = text_hash(use.text)
        known = found.get(sha256)
        if known is not None:
            project_id = use.project_id if known.project_id == use.project_id else None
            use = TextUse(use.text, project_id, max(use.at, known.at))
        found[sha256] = use
    return found


def read_texts(hashes: Iterable[str]) -> dict[str, str]:
    """The texts by hash; raises `Conflict` when one of them was dropped, or never stored."""
    wanted = set(hashes)
    rows = Text.objects.filter(sha256__in=wanted).values_list("sha256", "data")
    found = {
        sha256: zlib.decompress(data).decode("utf-8", "surrogatepass")
        for sha256, data in rows
        if data is not None
    }
    if missing := sorted(wanted - set(found)):
        raise Conflict(
            _("The text %(sha256)s was dropped by the retention policy; only its hash is kept.")
            % {"sha256": missing[0]},
            missing=missing,
        )
    return found


def drop_expired_texts() -> int:
    """Drop the texts that their projects keep no longer (keep_call_texts_days); how many."""
    dropped = 0
    for project in Project.objects.filter(settings__keep_call_texts_days__gt=0):
        days = project_settings.load(project).keep_call_texts_days
        if days is not None:
            before = timezone.now() - timedelta(days=days)
            while some := drop_payloads(project=project, before=before):
                dropped += some
    return dropped


@transaction.atomic
def drop_payloads(*, project: Project, before: datetime, limit: int = DROPPED_AT_ONCE) -> int:
    """Drop texts that only calls of this project before that date lean on; how many, up to a limit.

    Their hashes stay, and so do all numbers of the calls. Requests that leaned on them can no
    longer be rebuilt. A text may outlive the date by a day.
    """
    with connection.cursor() as cursor:
        cursor.execute(DROP, [project.pk, before - NOTED_EVERY, limit])
        dropped = int(cursor.rowcount)
    if dropped:
        activity.record(
            # An archived project is read-only, and what it promised to forget is forgotten.
            verb="project.call_texts_dropped",
            target=project,
            project=project,
            detail={"before": before.isoformat(), "texts": dropped},
        )
    return dropped


def compressed(text: str) -> bytes:
    """As the row holds it."""
    return zlib.compress(_encoded(text))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
