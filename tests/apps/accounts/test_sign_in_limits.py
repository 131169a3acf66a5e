"""How often a password may be tried, and that nobody else is kept out by it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client, RequestFactory
from django.utils import timezone

from apps.accounts import services, tasks
from apps.accounts.addresses import address_of
from apps.accounts.models import FailedSignIns
from apps.accounts.one_time import new_secret
from apps.accounts.services import attempts
from apps.activity.errors import TooSoon

pytestmark = pytest.mark.django_db
PASSWORD, WRONG = "a-long-secret-9", "wrong"


@pytest.fixture
def mara():
    return services.create_user(username="mara", password=PASSWORD)


def sign_in(name="mara", password=WRONG, address="192.0.2.1"):
    return Client(REMOTE_ADDR=address).post("/sign-in/", {"username": name, "password": password})


def fail(times=attempts.PERSON.failures, **how):
    return [sign_in(**how) for _ in range(times)][-1]


def test_who_fails_too_often_waits_even_with_the_right_password(mara):
    assert fail().status_code == 200

    response = sign_in(password=PASSWORD)

    assert response.status_code == 429
    assert 0 < int(response["Retry-After"]) <= 15 * 60
    assert "failed too often: try again in 15 minutes" in response.content.decode()
    assert "_auth_user_id" not in response.client.session


def test_a_name_that_nobody_has_is_refused_in_the_same_words(mara):
    fail()
    fail(name="nobody")

    pages = [sign_in(name=name).content.decode() for name in ("mara", "nobody")]
    errors = [page[page.index('role="alert"') :].partition("</p>")[0] for page in pages]

    assert "try again in" in errors[0]
    assert errors[0] == errors[1]


def test_the_wait_ends(mara):
    fail()
    FailedSignIns.objects.update(until=timezone.now())

    assert sign_in(password=PASSWORD).status_code == 302


def test_the_right_password_forgives_the_wrong_ones(mara):
    fail(attempts.PERSON.failures - 1)
    sign_in(password=PASSWORD)

    fail(attempts.PERSON.failures - 1)

    assert sign_in(password=PASSWORD).status_code == 302


def test_others_behind_the_same_address_still_come_in(mara):
    services.create_user(username="ben", password=PASSWORD)
    fail()

    assert sign_in(name="ben", password=PASSWORD).status_code == 302


def test_failures_from_elsewhere_do_not_keep_a_person_out(mara):
    fail(3 * attempts.PERSON.failures)

    assert sign_in(password=PASSWORD, address="198.51.100.7").status_code == 302


def test_an_account_is_tried_from_everywhere_a_limited_number_of_times(mara, monkeypatch):
    monkeypatch.setattr(attempts, "NAME", attempts.NAME._replace(failures=3))
    for last in range(3):
        sign_in(address=f"198.51.100.{last}")

    assert sign_in(password=PASSWORD, address="203.0.113.9").status_code == 429


def test_an_address_that_tries_many_names_waits(mara, monkeypatch):
    monkeypatch.setattr(attempts, "ADDRESS", attempts.ADDRESS._replace(failures=3))
    for number in range(3):
        sign_in(name=f"guess-{number}")

    assert sign_in(password=PASSWORD).status_code == 429
    assert sign_in(password=PASSWORD, address="198.51.100.7").status_code == 302


def test_people_who_come_in_do_not_use_up_their_address(mara, monkeypatch):
    monkeypatch.setattr(attempts, "ADDRESS", attempts.ADDRESS._replace(failures=2))

    assert [sign_in(password=PASSWORD).status_code for _ in range(5)] == [302] * 5


@pytest.mark.django_db(transaction=True)
def test_processes_that_are_asked_at_once_let_no_more_through(monkeypatch):
    monkeypatch.setattr(attempts, "PERSON", attempts.PERSON._replace(failures=4))

    def attempt(_number: int) -> bool:
        try:
            with services.sign_in_attempt(name="mara", address="192.0.2.1"):
                raise LookupError
        except LookupError:
            return True
        except TooSoon:
            return False
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        tried = list(pool.map(attempt, range(24)))

    assert sum(tried) == 4


def test_counts_whose_time_is_over_are_dropped(mara):
    sign_in()
    kept = FailedSignIns.objects.count()
    FailedSignIns.objects.create(
        key_sha256="0" * 64, failures=1, until=timezone.now() - timedelta(seconds=1)
    )

    assert tasks.forget_failed_sign_ins() == 1
    assert FailedSignIns.objects.count() == kept


@pytest.mark.parametrize(
    ("proxies", "told", "address"),
    [
        (0, "203.0.113.5", "192.0.2.1"),
        (1, "203.0.113.5", "203.0.113.5"),
        (1, "made-up, 203.0.113.5", "203.0.113.5"),
        (2, "made-up, 203.0.113.5, 10.0.0.2", "203.0.113.5"),
        (1, "", "192.0.2.1"),
        (1, "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        (1, "::ffff:203.0.113.5", "203.0.113.5"),
    ],
)
def test_an_address_is_believed_from_our_own_proxies_only(settings, proxies, told, address):
    settings.TRUSTED_PROXIES = proxies
    request = RequestFactory().get("/", REMOTE_ADDR="192.0.2.1", HTTP_X_FORWARDED_FOR=told)

    assert address_of(request) == address


def test_links_invitations_and_tokens_are_too_long_to_be_guessed():
    # 43 characters of 6 bits hold the 256 random bits, so trying them needs no limit.
    assert len(new_secret()) == 43
