"""Long texts, each stored once under its sha256, compressed; a payload may go, its hash stays."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable
from datetime import datetime

from django.db import connection, transaction
from django.utils.translation import gettext as _

from apps.accounts.models import Project
from apps.activity import services as activity
from apps.activity.errors import Conflict
from apps.calls.models import Text

MISSING = """
INSERT INTO calls_text (sha256, characters, data, created_at)
SELECT *, clock_timestamp() FROM unnest(%s::text[], %s::int[], %s::bytea[])
ON CONFLICT (sha256) DO NOTHING
"""
# A text whose payload was dropped, and which somebody has just sent again.
AGAIN = """
UPDATE calls_text SET data = new.data
FROM unnest(%s::text[], %s::bytea[]) AS new (sha256, data)
WHERE calls_text.sha256 = new.sha256 AND calls_text.data IS NULL
"""
# The texts that only old calls of the project lean on. A slot that starts with "=" is its value.
DROP = """
WITH leaning AS (
    SELECT at < %(before)s AND project_id IS NOT DISTINCT FROM %(project)s AS old,
           body_sha256, answer_sha256, reasoning_sha256, slots
    FROM calls_call
), used AS (
    SELECT old, body_sha256 AS sha256 FROM leaning
    UNION ALL SELECT old, answer_sha256 FROM leaning
    UNION ALL SELECT old, reasoning_sha256 FROM leaning
    UNION ALL SELECT old, slot.value FROM leaning, jsonb_each_text(slots) AS slot
    WHERE slot.value NOT LIKE '=%%'
), droppable AS (
    SELECT sha256 FROM used GROUP BY sha256 HAVING bool_and(old)
)
UPDATE calls_text SET data = NULL
FROM droppable WHERE calls_text.sha256 = droppable.sha256 AND calls_text.data IS NOT NULL
"""


def text_hash(text: str) -> str:
    """The sha256 of the UTF-8 text; half surrogate pairs keep a form of their own."""
    return hashlib.sha256(_encoded(text)).hexdigest()


def store_texts(texts: Iterable[str]) -> None:
    """Store what is not there yet; equal texts are one row, whoever stores them."""
    by_hash = {text_hash(text): text for text in texts}
    there = Text.objects.filter(sha256__in=list(by_hash), data__isnull=False)
    for known in there.values_list("sha256", flat=True):
        del by_hash[known]
    if not by_hash:
        return
    # In the order of the hashes, so that two writers wait for each other at most, never in a ring.
    hashes = sorted(by_hash)
    lengths = [len(by_hash[one]) for one in hashes]
    data = [zlib.compress(_encoded(by_hash[one])) for one in hashes]
    with connection.cursor() as cursor:
        cursor.execute(MISSING, [hashes, lengths, data])
        if cursor.rowcount < len(hashes):
            cursor.execute(AGAIN, [hashes, data])


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


@transaction.atomic
def drop_payloads(*, project: Project, before: datetime) -> int:
    """Drop the texts that only calls of this project before that date lean on; how many.

    Their hashes stay, and so do all numbers of the calls. Requests that leaned on them can no
    longer be rebuilt.
    """
    with connection.cursor() as cursor:
        cursor.execute(DROP, {"project": project.pk, "before": before})
        dropped = cursor.rowcount
    activity.record(
        verb="call_texts.dropped",
        target=project,
        project=project,
        detail={"before": before.isoformat(), "texts": dropped},
    )
    return int(dropped)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
