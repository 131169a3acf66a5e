"""Passwords cannot be found by trying: failed attempts to sign in are counted, and refused in time.

An attempt counts before the password is looked at and is forgiven when it was right, so processes
that are asked at once let no more through than one would. What counts is the name as it was typed,
whether or not anybody has it: a refusal says nothing about accounts.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from math import ceil
from typing import NamedTuple

from django.db import connection
from django.db.models import F
from django.utils import timezone
from django.utils.translation import ngettext

from apps.accounts.models import FailedSignIns
from apps.activity.errors import TooSoon

logger = logging.getLogger(__name__)


class Limit(NamedTuple):
    """So many failures of one kind; those after them wait until the time is over."""

    kind: str
    failures: int
    within: timedelta


# Who forgot their password stops trying long before.
PERSON = Limit("name and address", 10, timedelta(minutes=15))
# A whole company may come from one address, and its mistakes are not one person's.
ADDRESS = Limit("address", 200, timedelta(minutes=15))
# From everywhere together: far above the first, so that a stranger who fails on purpose does not
# lock the person out.
NAME = Limit("name", 100, timedelta(hours=1))

COUNT = f"""
    INSERT INTO {FailedSignIns._meta.db_table} AS counted (key_sha256, failures, until)
    VALUES (%(key)s, 1, %(until)s)
    ON CONFLICT (key_sha256) DO UPDATE SET
        failures = CASE WHEN counted.until <= %(now)s THEN 1 ELSE counted.failures + 1 END,
        until = CASE WHEN counted.until <= %(now)s THEN excluded.until ELSE counted.until END
    RETURNING failures, until
"""  # noqa: S608 - the table's own name


@contextmanager
def sign_in_attempt(*, name: str, address: str) -> Iterator[None]:
    """Around the check of a password, which raises when it is wrong. Raises TooSoon.

    Outside of a transaction that the failure would roll back.
    """
    person, place, anywhere = _key(PERSON, name, address), _key(ADDRESS, address), _key(NAME, name)
    counted: list[str] = []
    for limit, key in ((PERSON, person), (ADDRESS, place), (NAME, anywhere)):
        counted.append(key)
        failures, until = _count(key, limit.within)
        if failures > limit.failures:
            # What is refused tries no password, so it may not count against others.
            _take_back(counted)
            logger.warning("Too many failures to sign in from %s, by %s.", address, limit.kind)
            raise _too_soon(until)
    yield
    for key in (person, anywhere):
        FailedSignIns.objects.filter(pk=key).delete()
    _take_back([place])


def forget_failed_sign_ins() -> int:
    """Drop the counts whose time is over."""
    deleted, _counts = FailedSignIns.objects.filter(until__lt=timezone.now()).delete()
    return deleted


def _key(limit: Limit, *about: str) -> str:
    return hashlib.sha256("\0".join([limit.kind, *about]).encode("utf-8", "replace")).hexdigest()


def _count(key: str, within: timedelta) -> tuple[int, datetime]:
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(COUNT, {"key": key, "now": now, "until": now + within})
        failures, until = cursor.fetchone()
    return failures, until


def _take_back(keys: list[str]) -> None:
    for key in keys:  # one row at a time, so that no two processes wait for each other
        counted = FailedSignIns.objects.filter(pk=key, failures__gt=0)
        counted.update(failures=F("failures") - 1)


def _too_soon(until: datetime) -> TooSoon:
    seconds = max(1, ceil((until - timezone.now()).total_seconds()))
    minutes = ceil(seconds / 60)
    sentence = ngettext(
        "Signing in has failed too often: try again in %d minute.",
        "Signing in has failed too often: try again in %d minutes.",
        minutes,
    )
    return TooSoon(sentence % minutes, seconds=seconds)
