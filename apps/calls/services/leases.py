"""Slots of an endpoint, leased for seconds, so that no call takes a lock.

One limit holds for all workers together: the slots of all living leases never add up to more than
the endpoint's `max_in_flight`. A worker renews its lease in good time and meanwhile starts calls on
its own; a lease that is not renewed lapses by itself, as when its worker was killed. Between two
renewals it looks, without a lock, whether its share is still the right one.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import connection, transaction

from apps.calls.models import EndpointLease, ModelEndpoint

LEASE_SECONDS = 5.0


@transaction.atomic
def lease_slots(
    endpoint: ModelEndpoint | int,
    *,
    holder: str,
    want: int,
    seconds: float = LEASE_SECONDS,
    holding: int = 0,
) -> int:
    """Take or renew a lease; how many calls the holder may have in flight for `seconds` from now.

    `holding` is what it may have in flight at this moment. When it is granted less it finishes what
    it has begun, and what it still holds stays counted until it renews with less. A holder that
    gets nothing keeps its place: the others leave room for it when they renew.
    """
    pk = endpoint if isinstance(endpoint, int) else endpoint.pk
    limit = ModelEndpoint.objects.select_for_update(no_key=True).get(pk=pk).max_in_flight
    now = _clock()
    granted = _share(pk, limit, holder=holder, want=want, now=now, seconds=seconds)
    EndpointLease.objects.update_or_create(
        endpoint_id=pk,
        holder=holder,
        defaults={
            "slots": max(granted, holding),
            "wanted": want,
            "expires_at": now + timedelta(seconds=seconds),
        },
    )
    return granted


def share_changed(
    endpoint: ModelEndpoint | int, *, holder: str, want: int, seconds: float, granted: int
) -> bool:
    """Whether a renewal would grant another number by now: somebody came, left or made room."""
    pk = endpoint if isinstance(endpoint, int) else endpoint.pk
    limit = ModelEndpoint.objects.values_list("max_in_flight", flat=True).get(pk=pk)
    return _share(pk, limit, holder=holder, want=want, now=_clock(), seconds=seconds) != granted


def _share(pk: int, limit: int, *, holder: str, want: int, now: datetime, seconds: float) -> int:
    """What a holder may have: its fair share, as far as the others have made room for it."""
    others = EndpointLease.objects.filter(endpoint_id=pk, expires_at__gt=now).exclude(holder=holder)
    held = list(others.values_list("holder", "slots", "wanted"))
    wanted = {name: wants for name, _slots, wants in held} | {holder: want}
    share = fair_shares(limit, wanted, turn=int(now.timestamp() // seconds))[holder]
    return max(0, min(share, limit - sum(slots for _name, slots, _wants in held)))


def release_slots(endpoint: ModelEndpoint | int, *, holder: str) -> None:
    """Give the lease back, and clear away those that lapsed."""
    pk = endpoint if isinstance(endpoint, int) else endpoint.pk
    leases = EndpointLease.objects.filter(endpoint_id=pk)
    leases.filter(holder=holder).delete()
    leases.filter(expires_at__lt=_clock()).delete()


def fair_shares(limit: int, wanted: Mapping[str, int], *, turn: int = 0) -> dict[str, int]:
    """Share out `limit` slots: nobody gets more than wanted, and nobody could get more fairly.

    Who wants little gets it whole; the others get equal parts of the rest. What does not divide
    goes to another holder each `turn`. The shares add up to min(limit, sum of wanted).
    """
    names = sorted(wanted)
    place = {name: (index + turn) % len(names) for index, name in enumerate(names)}
    shares: dict[str, int] = {}
    rest = limit
    for done, name in enumerate(sorted(names, key=lambda one: (wanted[one], place[one]))):
        shares[name] = min(wanted[name], rest // (len(names) - done))
        rest -= shares[name]
    return shares


def _clock() -> datetime:
    """The database's time now, not that of the transaction's start, and one for all hosts."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return now
