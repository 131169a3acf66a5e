"""Numbering equal answers of one file, so that sampling the same text twice makes two rollouts.

The counts live in a temporary table: a file may have more rows than memory should hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from django.db import connection

CREATE = """
CREATE TEMPORARY TABLE IF NOT EXISTS rollouts_occurrence (digest bytea PRIMARY KEY, count int)
ON COMMIT DROP;
TRUNCATE rollouts_occurrence
"""
COUNT = """
INSERT INTO rollouts_occurrence AS seen (digest, count)
SELECT * FROM unnest(%s::bytea[], %s::int[])
ON CONFLICT (digest) DO UPDATE SET count = seen.count + excluded.count
RETURNING digest, count
"""


class Occurrences:
    """Counts what one import has seen, for as long as its transaction lasts."""

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(CREATE)

    def number(self, digests: Sequence[bytes]) -> list[int]:
        """For each digest the how-manieth it is in the import, from 1."""
        here = Counter(digests)
        with connection.cursor() as cursor:
            cursor.execute(COUNT, [list(here), list(here.values())])
            upto = {bytes(digest): count for digest, count in cursor.fetchall()}
        last = {digest: upto[digest] - count for digest, count in here.items()}
        numbers = []
        for digest in digests:
            last[digest] += 1
            numbers.append(last[digest])
        return numbers
