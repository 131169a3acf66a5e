"""The end of a project: what goes, what stays, and who can still tell."""

from __future__ import annotations

import pytest
from django.db import connection

from apps.accounts import selectors as accounts
from apps.accounts import services as people
from apps.accounts.models import Project, Role
from apps.activity import selectors as activity
from apps.activity import services as trail
from apps.activity.errors import BadInput, Conflict
from apps.activity.models import AuditEvent, Draft, Job
from apps.bundles.models import Bundle
from apps.calls import services as calls
from apps.calls.models import Call, Text
from apps.studio import services, tasks
from apps.studio.services.transfer.plan import TABLES, rows_of
from tests.apps.studio.whole import make_whole
from tests.factories import make_bundle, make_member, make_project, make_token, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def root():
    return make_user("root", is_superuser=True)


@pytest.fixture
def whole(settings, tmp_path) -> Project:
    settings.ENCRYPTION_KEY_FILE = tmp_path / "endpoint.key"
    return make_whole()


def counts(project: Project) -> dict[str, int]:
    with connection.cursor() as cursor:
        found = {}
        for table in TABLES:
            mine = rows_of(table, project)
            cursor.execute(f"SELECT count(*) FROM {table.rows} WHERE {mine}")  # noqa: S608
            found[table.name] = cursor.fetchone()[0]
    return found


def delete(project: Project, actor, reason: str = "no longer needed") -> Job:
    """As a page does it: closed, and emptied by its job."""
    Job.objects.filter(project=project, state__in=["queued", "running"]).delete()
    job = services.start_deletion(project=project, reason=reason, actor=actor)
    tasks.delete_project(job.pk)
    job.refresh_from_db()
    return job


def test_nothing_of_it_is_left_in_any_table(whole, root):
    job = delete(whole, root)

    assert job.state == "done"
    assert set(counts(whole).values()) == {0}
    assert not whole.memberships.exists()
    assert not whole.tokens.exists()
    assert not Draft.objects.exists()


def test_another_project_keeps_every_row_and_can_rebuild_its_calls(whole, root):
    other = make_whole("other")
    before = counts(other)

    delete(whole, root)

    assert counts(other) == before
    for call in Call.objects.filter(project_id=other.pk):
        assert calls.rebuild_request(call)


def test_texts_that_nobody_else_leans_on_go_and_shared_ones_go_with_the_last(whole, root):
    other = make_whole("other")

    delete(whole, root)
    assert Text.objects.exists()
    delete(other, root)

    assert not Text.objects.exists()


def test_the_trail_stays_and_its_seals_hold(whole, root):
    trail.seal_trail()
    ids = list(Bundle.objects.values_list("bundle_id", flat=True))

    delete(whole, root, reason="The <licence> ended")
    trail.seal_trail()

    event = AuditEvent.objects.get(project_id=whole.pk, verb="project.deleted")
    assert (event.actor, event.reason) == (root, "The <licence> ended")
    assert event.detail["slug"] == "tides"
    assert event.detail["counts"]["verdicts"] == 9
    assert event.detail["bundles"] == ids
    check = activity.verify_trail(whole.pk)
    assert (check.broken, check.unsealed) == (None, 0)


def test_it_is_closed_to_everybody_at_once_and_its_name_is_free(client, root):
    project = make_project("tides")
    token = make_token(project).plaintext
    member = make_member(project, Role.ADMIN)

    services.start_deletion(project=project, reason="", actor=root)

    client.force_login(member)
    assert client.get("/p/tides/").status_code == 404
    assert people.authenticate_token(token) is None
    assert not accounts.projects_seen_by(root).exists()
    assert people.create_project(slug="tides", name="Again", actor=root)


def test_a_project_with_bundles_needs_a_reason(root):
    project = make_project()
    make_bundle(project)

    with pytest.raises(BadInput, match="say why"):
        services.start_deletion(project=project, reason="  ", actor=root)

    assert Project.objects.filter(pk=project.pk).exists()


def test_while_jobs_are_under_way_it_is_not_deleted(root):
    project = make_project()
    trail.create_job(kind="x", task="x", arguments={}, project=project)

    with pytest.raises(Conflict, match="under way"):
        services.start_deletion(project=project, reason="", actor=root)


def test_only_a_closed_project_is_emptied():
    with pytest.raises(Project.DoesNotExist):
        services.purge_project(project_id=make_project().pk, told=lambda _rows: None)


def test_an_archived_project_can_be_deleted(root):
    project = make_project()
    people.archive_project(project=project)

    assert delete(project, root).state == "done"
