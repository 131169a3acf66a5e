"""The trail: appended to, never changed, sealed, and able to prove it."""

import io
import json
import threading

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction

from apps.activity import selectors, services
from apps.activity.models import AuditEvent, Seal
from tests.factories import make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project("tides")


def write(project, count=1):
    return [
        services.record(verb="spec.approved", target=project, project=project, detail={"n": number})
        for number in range(count)
    ]


def tamper(sql, *parameters):
    """Write past the guards, as only an owner of the tables can."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in ("activity_auditevent", "activity_seal"):
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        cursor.execute(sql, parameters)
        for table in ("activity_auditevent", "activity_seal"):
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")


def test_an_event_keeps_who_what_which_and_why(project):
    actor = make_user()

    event = services.record(
        verb="spec.approved", target=project, project=project, actor=actor, reason="It is right."
    )

    stored = AuditEvent.objects.get(pk=event.pk)
    assert (stored.actor, stored.target_type, stored.target_id) == (
        actor,
        "accounts.project",
        str(project.pk),
    )
    assert stored.reason == "It is right."


@pytest.mark.parametrize(
    "act", [lambda rows: rows.update(verb="other"), lambda rows: rows.delete()]
)
def test_an_event_can_be_neither_changed_nor_deleted(project, act):
    write(project)

    with pytest.raises(IntegrityError), transaction.atomic():
        act(AuditEvent.objects.all())

    assert AuditEvent.objects.get().verb == "spec.approved"


def test_sealing_covers_every_event_once(project):
    write(project, 5)
    services.record(verb="user.created", target=make_user())

    made = services.seal_trail(stretch=2)

    # 5 events in stretches of 2, 2 and 1; one event of no project.
    assert made == 4
    assert services.seal_trail() == 0
    check = selectors.verify_trail(project.pk)
    assert (check.seals, check.sealed, check.unsealed, check.broken) == (3, 5, 0, None)


def test_new_events_are_chained_to_the_seal_before(project):
    write(project)
    services.seal_trail()
    write(project)
    services.seal_trail()

    first, second = Seal.objects.all()
    assert second.previous_sha256 == first.sha256
    assert selectors.verify_trail(project.pk).sealed == 2


def test_what_is_not_sealed_yet_is_counted(project):
    write(project, 2)
    services.seal_trail()
    write(project, 3)

    assert selectors.verify_trail(project.pk).unsealed == 3


def test_a_changed_event_breaks_its_seal(project):
    events = write(project, 6)
    services.seal_trail(stretch=2)

    tamper("UPDATE activity_auditevent SET reason = 'another' WHERE id = %s", events[3].pk)

    check = selectors.verify_trail(project.pk)
    assert check.broken == Seal.objects.all()[1]
    assert "changed" in check.reason


def test_a_removed_event_breaks_its_seal(project):
    events = write(project, 4)
    services.seal_trail(stretch=2)

    tamper("DELETE FROM activity_auditevent WHERE id = %s", events[0].pk)

    check = selectors.verify_trail(project.pk)
    assert check.broken == Seal.objects.all()[0]
    assert "2 events" in check.reason


def test_an_event_slipped_in_between_breaks_the_next_seal(project):
    other = make_project()
    write(project)
    hidden = write(other)[0]
    write(project)
    services.seal_trail(stretch=1)

    tamper("UPDATE activity_auditevent SET project_id = %s WHERE id = %s", project.pk, hidden.pk)

    assert selectors.verify_trail(project.pk).broken == Seal.objects.filter(project=project)[1]


def test_a_removed_seal_breaks_the_chain(project):
    write(project, 3)
    services.seal_trail(stretch=1)

    tamper("DELETE FROM activity_seal WHERE id = %s", Seal.objects.all()[1].pk)

    check = selectors.verify_trail(project.pk)
    assert check.broken == Seal.objects.all()[1]
    assert "chained" in check.reason


@pytest.mark.django_db(transaction=True)
def test_events_wait_for_a_transaction_that_could_still_add_one_below(project):
    held, go_on = threading.Event(), threading.Event()

    def write_slowly():
        with transaction.atomic():
            write(project)
            held.set()
            go_on.wait()
        connection.close()

    writer = threading.Thread(target=write_slowly)
    writer.start()
    held.wait()
    write(project)
    early = services.seal_trail()
    go_on.set()
    writer.join()

    assert early == 0
    services.seal_trail()
    assert selectors.verify_trail(project.pk).sealed == 2


def verify(*arguments):
    output = io.StringIO()
    try:
        call_command("verify_trail", *arguments, stdout=output, stderr=io.StringIO())
    except SystemExit as ended:
        return ended.code, json.loads(output.getvalue())
    return 0, json.loads(output.getvalue())


def test_the_command_counts_what_holds(project):
    write(project, 3)
    services.seal_trail(stretch=2)
    write(make_project())

    assert verify() == (0, {"seals": 2, "sealed": 3, "unsealed": 1, "broken": []})
    assert verify("--project", "tides")[1]["unsealed"] == 0


def test_the_command_names_the_first_broken_seal(project):
    events = write(project, 3)
    services.seal_trail(stretch=1)
    tamper("UPDATE activity_auditevent SET verb = 'x' WHERE id = %s", events[1].pk)

    code, printed = verify()

    assert code == 1
    assert printed["broken"] == [Seal.objects.all()[1].sha256]


def test_the_command_says_when_a_project_has_no_trail():
    code, printed = verify("--project", "nothing")

    assert code == 1
    assert "nothing" in printed["error"]
