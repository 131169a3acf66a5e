"""Export, copy, archive, delete and import, as administrators use the pages."""

from __future__ import annotations

import io
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from apps.accounts.models import Project, Role
from apps.activity import services as activity
from apps.activity.models import AuditEvent, Job
from apps.prompts.models import Prompt
from apps.studio.services import ProjectFile
from tests.factories import make_bundle, make_member, make_project, make_prompt, make_user

pytestmark = pytest.mark.django_db(transaction=False)
DANGER = "/p/tides/settings/danger/"
IMPORT = "/administration/projects/import/"
NAMES = {"name": "Sea", "slug": "sea"}


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path) -> None:
    settings.UPLOADS_DIR = tmp_path / "uploads"


@pytest.fixture
def project() -> Project:
    project = make_project("tides", name="Tides")
    make_prompt(project)
    return project


@pytest.fixture
def admin(client, project):
    client.force_login(make_member(project, Role.ADMIN, user=make_user("mara")))
    return client


@pytest.fixture
def root(client, project):
    client.force_login(make_user("root", is_superuser=True))
    return client


@pytest.fixture
def enqueued(django_capture_on_commit_callbacks):
    """Runs what a page enqueues, as a worker would."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


def text(answer) -> str:
    return str(answer.content.decode())


def exported(client) -> bytes:
    return b"".join(client.post(f"{DANGER}export/").streaming_content)


def test_the_export_is_a_whole_file_with_a_name_and_is_in_the_trail(admin, tmp_path):
    answer = admin.post(f"{DANGER}export/")
    path = tmp_path / "out.zip"
    path.write_bytes(b"".join(answer.streaming_content))

    with ProjectFile(path) as file:
        assert file.manifest["project"]["slug"] == "tides"
    assert re.match(r'attachment; filename="tides-[\d-]+\.zip"', answer["Content-Disposition"])
    assert str(AuditEvent.objects.get(verb="project.exported").actor) == "mara"


def test_a_copy_is_made_by_a_job_and_linked(admin, enqueued):
    with enqueued():
        admin.post(f"{DANGER}copy/", NAMES)

    page = text(admin.get(DANGER))
    assert 'href="/p/sea/"' in page
    assert "every 2s" not in page
    assert Prompt.objects.filter(project__slug="sea").count() == 1


def test_a_copy_that_was_deleted_since_is_no_link(admin, enqueued):
    with enqueued():
        admin.post(f"{DANGER}copy/", NAMES)
    Project.objects.filter(slug="sea").update(slug="deleted_1", deleted_at=timezone.now())

    assert 'href="/p/sea/"' not in text(admin.get(DANGER))


def test_while_a_copy_is_under_way_the_part_asks_again(admin):
    admin.post(f"{DANGER}copy/", NAMES)

    part = text(admin.get(DANGER, headers={"HX-Request": "true"}))

    assert "<html" not in part
    assert 'hx-trigger="every 2s"' in part


def test_a_copy_under_a_taken_name_is_refused_in_the_form(admin):
    answer = admin.post(f"{DANGER}copy/", {"name": "Sea", "slug": "tides"})

    assert answer.status_code == 409
    assert "is taken" in text(answer)
    assert not Job.objects.exists()


def test_archived_and_undone_by_the_toast(admin, project):
    page = text(admin.post(f"{DANGER}archive/", follow=True))
    assert "This project is archived" in page
    undo = re.search(r'action="([^"]+/unarchive/)"', page)
    assert undo

    admin.post(undo[1])

    project.refresh_from_db()
    assert project.archived_at is None


def test_while_jobs_are_under_way_nothing_is_archived_or_deleted(admin, project):
    activity.create_job(kind="x", task="x", arguments={}, project=project)

    assert "1 job is under way" in text(admin.get(DANGER))
    assert admin.post(f"{DANGER}archive/").status_code == 409
    assert admin.post(f"{DANGER}delete/", {"typed": "tides"}).status_code == 409


def test_a_project_is_deleted_only_when_its_short_name_was_typed(admin, enqueued):
    asked = text(admin.get(f"{DANGER}delete/"))
    assert "<dt>Prompts</dt><dd>1</dd>" in asked
    assert "Reason" not in asked

    assert admin.post(f"{DANGER}delete/", {"typed": "Tides"}).status_code == 422
    with enqueued():
        admin.post(f"{DANGER}delete/", {"typed": "tides"})

    assert not Project.objects.exists()
    assert not Prompt.objects.exists()
    assert Job.objects.get().state == "done"


def test_with_frozen_bundles_a_reason_is_asked_for(admin, project):
    make_bundle(project)

    answer = admin.post(f"{DANGER}delete/", {"typed": "tides", "reason": " "})

    assert answer.status_code == 422
    assert "Say why" in text(answer)
    admin.post(f"{DANGER}delete/", {"typed": "tides", "reason": "A mistake"})
    assert AuditEvent.objects.get(verb="project.deleted").reason == "A mistake"


def test_what_is_left_of_a_deleted_project_is_told_to_administrators(root, project):
    root.post(f"{DANGER}delete/", {"typed": "tides"})

    page = text(root.get("/administration/projects/?state=deleted"))

    assert "Tides" in page
    assert "tides" in page


def test_an_export_comes_in_under_a_new_name(root, enqueued, settings):
    data = exported(root)

    with enqueued():
        file = SimpleUploadedFile("tides.zip", data)
        root.post(IMPORT, {**NAMES, "file": file})

    assert Project.objects.get(slug="sea").name == "Sea"
    assert 'href="/p/sea/"' in text(root.get(IMPORT))
    assert list(settings.UPLOADS_DIR.iterdir()) == []


@pytest.mark.parametrize(
    ("said", "status", "reason"),
    [
        ({"file": io.BytesIO(b"no zip")}, 422, "no export of a project"),
        ({}, 422, "No file came along"),
        ({"name": "", "file": io.BytesIO(b"x")}, 422, "required"),
        ({"slug": "tides", "file": io.BytesIO(b"x")}, 409, "is taken"),
    ],
)
def test_what_cannot_come_in_is_told_on_the_page(root, said, status, reason):
    answer = root.post(IMPORT, {**NAMES, **said})

    assert (answer.status_code, reason in text(answer)) == (status, True)
    assert not Job.objects.exists()


def test_only_who_administers_the_installation_brings_projects_in(admin):
    assert admin.get(IMPORT).status_code == 403


def test_an_import_that_fails_says_why_and_leaves_nothing(root, enqueued):
    data = exported(root)
    with enqueued():
        root.post(IMPORT, {**NAMES, "file": SimpleUploadedFile("tides.zip", data)})
        make_project("sea")

    assert "is taken" in text(root.get(IMPORT))
    assert Job.objects.get().state == "failed"
    assert Prompt.objects.filter(project__slug="sea").count() == 0


def test_a_project_that_was_not_emptied_is_emptied_again(root, project, enqueued):
    root.post(f"{DANGER}delete/", {"typed": "tides"})
    job = Job.objects.get()
    activity.fail_job(job=job, cause="lost_worker", error="Each worker stopped.")

    page = text(root.get(IMPORT))
    again = re.search(r'action="([^"]+/empty/\d+/)"', page)
    assert again
    with enqueued():
        root.post(again[1])

    assert Job.objects.latest("pk").state == "done"
    assert not Prompt.objects.exists()
