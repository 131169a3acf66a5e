from datetime import UTC, date, datetime

import pytest
from django.db import IntegrityError, connection

from apps.calls import services
from apps.calls.models import Call
from tests.apps.calls.conftest import make_record

pytestmark = pytest.mark.django_db

FAR = date(2031, 12, 17)


def partition_of(pk):
    with connection.cursor() as cursor:
        cursor.execute("SELECT tableoid::regclass::text FROM calls_call WHERE id = %s", [pk])
        return cursor.fetchone()[0]


def test_this_month_and_the_next_ones_have_a_partition():
    made = services.ensure_partitions(today=FAR, ahead=2)

    assert made == ["calls_call_2031_12", "calls_call_2032_01", "calls_call_2032_02"]


def test_partitions_are_made_once():
    services.ensure_partitions(today=FAR)

    assert services.ensure_partitions(today=FAR) == []


def test_migrating_has_made_the_partition_of_now(asker):
    (pk,) = services.store_calls([make_record(started_at=datetime.now(UTC))], asker=asker)

    assert partition_of(pk) == f"calls_call_{datetime.now(UTC):%Y_%m}"


def test_a_call_goes_to_the_partition_of_its_month(asker):
    services.ensure_partitions(today=FAR)
    last = datetime(2031, 12, 31, 23, 59, 59, tzinfo=UTC)

    (pk,) = services.store_calls([make_record(started_at=last)], asker=asker)

    assert partition_of(pk) == "calls_call_2031_12"


def test_calls_stored_before_their_partition_was_made_move_over(asker):
    early = make_record(started_at=datetime(2031, 12, 5, tzinfo=UTC))
    (pk,) = services.store_calls([early], asker=asker)
    before = partition_of(pk)

    services.ensure_partitions(today=FAR)

    assert (before, partition_of(pk)) == ("calls_call_rest", "calls_call_2031_12")


def test_a_moved_call_is_guarded_like_any_other(asker):
    early = make_record(started_at=datetime(2031, 12, 5, tzinfo=UTC))
    (pk,) = services.store_calls([early], asker=asker)
    services.ensure_partitions(today=FAR)

    with pytest.raises(IntegrityError, match="only a purge may delete"):
        Call.objects.filter(pk=pk).delete()
