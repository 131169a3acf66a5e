from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from apps.calls import services
from apps.calls.models import EndpointLease
from apps.calls.services.leases import fair_shares, share_changed
from tests.factories import make_endpoint

WANTED = st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(1, 100), min_size=1)


@pytest.fixture
def endpoint(db):
    return make_endpoint(max_in_flight=10)


def lease(endpoint, holder, want, **values):
    return services.lease_slots(endpoint, holder=holder, want=want, **values)


def test_a_lone_worker_gets_what_it_wants(endpoint):
    assert lease(endpoint, "a", 7) == 7


def test_nobody_gets_more_than_the_endpoint_takes(endpoint):
    assert lease(endpoint, "a", 500) == 10


def test_a_second_worker_gets_nothing_before_the_first_makes_room(endpoint):
    lease(endpoint, "a", 10)

    assert lease(endpoint, "b", 10) == 0


def test_two_workers_that_compete_end_with_half_each(endpoint):
    lease(endpoint, "a", 10)
    lease(endpoint, "b", 10)

    a = lease(endpoint, "a", 10, holding=10)  # told to come down; its 10 calls still run
    lease(endpoint, "a", 10, holding=5)  # five of them have ended
    b = lease(endpoint, "b", 10)

    assert (a, b) == (5, 5)


def test_a_worker_learns_between_two_renewals_that_its_share_is_another_one(endpoint):
    def changed():
        return share_changed(endpoint, holder="a", want=10, seconds=5.0, granted=10)

    lease(endpoint, "a", 10)
    alone = changed()
    lease(endpoint, "b", 10)

    assert (alone, changed()) == (False, True)


def test_calls_that_still_run_stay_counted(endpoint):
    lease(endpoint, "a", 10)
    lease(endpoint, "b", 10)

    lease(endpoint, "a", 10, holding=9)

    assert lease(endpoint, "b", 10) == 1


def test_who_wants_little_leaves_the_rest_to_others(endpoint):
    lease(endpoint, "a", 2)

    assert lease(endpoint, "b", 10) == 8


def test_the_slots_of_a_killed_worker_come_back_by_themselves(endpoint):
    lease(endpoint, "killed", 10)
    EndpointLease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert lease(endpoint, "b", 10) == 10


def test_a_lease_that_is_given_back_is_free_at_once(endpoint):
    lease(endpoint, "a", 10)

    services.release_slots(endpoint, holder="a")

    assert lease(endpoint, "b", 10) == 10


def test_a_single_slot_goes_round():
    shares = [fair_shares(1, {"a": 3, "b": 3}, turn=turn) for turn in (0, 1, 2)]

    holders = [name for share in shares for name in share if share[name]]
    assert holders in (["a", "b", "a"], ["b", "a", "b"])


@given(limit=st.integers(0, 300), wanted=WANTED, turn=st.integers(0, 50))
def test_shares_use_up_the_limit_and_no_more(limit, wanted, turn):
    shares = fair_shares(limit, wanted, turn=turn)

    assert sum(shares.values()) == min(limit, sum(wanted.values()))


@given(limit=st.integers(0, 300), wanted=WANTED, turn=st.integers(0, 50))
def test_who_goes_short_gets_no_less_than_anybody_else_but_one(limit, wanted, turn):
    shares = fair_shares(limit, wanted, turn=turn)

    short = [shares[name] for name in wanted if shares[name] < wanted[name]]
    assert not short or min(short) >= max(shares.values()) - 1


@hypothesis_settings(max_examples=20, deadline=None)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(1, 12), st.floats(0, 1)), max_size=20
    )
)
@pytest.mark.django_db
def test_whatever_workers_do_their_calls_never_exceed_the_limit(steps):
    endpoint = make_endpoint(max_in_flight=10)
    allowed = dict.fromkeys("abc", 0)
    running = dict.fromkeys("abc", 0)
    most = 0

    for holder, want, still_running in steps:
        running[holder] = round(running[holder] * still_running)
        holding = max(running[holder], allowed[holder])
        allowed[holder] = lease(endpoint, holder, want, holding=holding)
        running[holder] = max(running[holder], allowed[holder])  # it fills up at once
        most = max(most, sum(running.values()))

    assert most <= 10
