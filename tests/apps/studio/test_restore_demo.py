"""The demo comes in whole or not at all, and only where it is wanted."""

import json

import pytest
from django.core.management import call_command

from apps.accounts.models import Project, User
from apps.activity import services as activity
from apps.activity.models import AuditEvent
from apps.studio import demo, services, tasks
from apps.studio.demo import restoring
from tests.factories import make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def nothing_in_it(monkeypatch):
    """The acts around the demo, without its contents."""
    monkeypatch.setattr(restoring, "_fill", lambda project, people: None)


def test_what_breaks_on_the_way_leaves_nothing(monkeypatch):
    monkeypatch.setattr(restoring, "_compute", lambda *arguments: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        demo.restore_demo()

    assert not Project.objects.exists()
    assert not User.objects.exists()


def test_a_deleted_demo_stays_away_until_it_is_asked_for_and_is_whole_again():
    before = demo.restore_demo()
    assert before is not None
    prompts = before.project.prompts.count()
    job = services.start_deletion(project=before.project, reason="", actor=make_user("ada"))
    tasks.delete_project(job.pk)

    assert demo.restore_demo(first_start=True) is None
    after = demo.restore_demo()

    assert after is not None
    assert after.is_new
    assert after.project != before.project
    assert after.project.prompts.count() == prompts
    assert after.project.reward_runs.count() == 4
    assert User.objects.filter(username__startswith="demo-").count() == 2


@pytest.mark.usefixtures("nothing_in_it")
class TestRestoring:
    def test_who_restores_it_administers_it(self):
        actor = make_user("ada")

        restored = demo.restore_demo(actor=actor)

        assert restored is not None
        assert restored.is_new
        assert restored.project.memberships.filter(user=actor, role="admin").exists()

    def test_one_that_is_there_stays_as_it_is(self):
        first, again = demo.restore_demo(), demo.restore_demo()

        assert first is not None
        assert again == demo.Demo(first.project, is_new=False)
        assert AuditEvent.objects.filter(verb=restoring.RESTORED).count() == 1

    def test_nobody_can_sign_in_as_its_author(self):
        demo.restore_demo()

        assert not User.objects.get(username="demo-author").has_usable_password()

    def test_a_first_start_brings_it_into_an_empty_installation(self):
        assert demo.restore_demo(first_start=True) is not None

    def test_a_first_start_leaves_an_installation_with_projects_alone(self):
        make_project("tides")

        assert demo.restore_demo(first_start=True) is None
        assert not demo.is_there()

    def test_a_demo_that_was_deleted_comes_back_when_asked_for_only(self):
        # What a deletion leaves behind: an event that belongs to no project.
        activity.record(verb=restoring.RESTORED, target=make_user())

        assert demo.restore_demo(first_start=True) is None
        assert demo.restore_demo() is not None

    def test_a_button_restores_it_where_it_is_missing(self, client):
        client.force_login(make_user("ada"))
        assert "Restore the demo project" in client.get("/projects/").content.decode()

        response = client.post("/projects/demo/", follow=True)

        assert response.redirect_chain[-1][0] == f"/p/{demo.SLUG}/"
        assert "The demo project is back." in response.content.decode()
        assert "Restore the demo project" not in client.get("/projects/").content.decode()

    def test_who_cannot_see_it_is_told_that_it_is_there(self, client):
        demo.restore_demo()
        client.force_login(make_user())

        response = client.post("/projects/demo/", follow=True)

        assert response.redirect_chain[-1][0] == "/projects/"
        assert "ask who administers it" in response.content.decode()

    def test_the_command_reports_one_line(self, capsys):
        call_command("demo")
        call_command("demo")

        first, again = map(json.loads, capsys.readouterr().out.splitlines())
        assert first == {"project": demo.SLUG, "restored": True}
        assert again == {"project": demo.SLUG, "restored": False}
