"""What waits for a person: only what they can do, oldest first."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import Role
from apps.activity import services as activity
from apps.activity.models import AuditEvent, Draft, Job
from apps.specs import services as specs
from apps.studio.selectors import waiting_for
from tests.factories import (
    make_member,
    make_project,
    make_prompt,
    make_run,
    make_spec,
    make_user,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project("tides", name="Tides")


@pytest.fixture
def author(project):
    return make_member(project, Role.AUTHOR)


@pytest.fixture
def reviewer(project):
    return make_member(project, Role.REVIEWER)


def titles(user, **narrowed):
    return [one.title for one in waiting_for(user, **narrowed)]


def fail(job, **values):
    activity.fail_job(job=job, cause="lost_worker", error="Start it again.")
    Job.objects.filter(pk=job.pk).update(**values)


def a_job(project, user, kind="make_specs"):
    return activity.create_job(
        kind=kind, task="x", arguments={}, project=project, requested_by=user
    )


def test_a_paused_run_waits_for_the_authors_with_its_reason(project, author, reviewer):
    make_run(project, state="paused", block_reason="The quota is used up.")

    assert titles(author) == ["Run 1 is paused: The quota is used up."]
    assert titles(reviewer) == []


def test_a_spec_in_review_waits_for_reviewers_but_not_for_its_author(project, author, reviewer):
    make_member(project, Role.REVIEWER, user=author)
    make_spec(make_prompt(project), state="in_review", author=author)

    assert titles(reviewer) == ["Spec 1 v1 waits for a second person"]
    assert titles(author) == []


def test_an_author_may_review_where_no_second_person_is_needed(project, author):
    make_member(project, Role.REVIEWER, user=author)
    make_spec(make_prompt(project), state="in_review", author=author)
    project.settings = {"approval_needs_second_person": False}
    project.save()

    assert titles(author) == ["Spec 1 v1 waits for a second person"]


def test_a_version_that_another_followed_waits_no_more(project, reviewer):
    prompt = make_prompt(project)
    make_spec(prompt, state="in_review")
    make_spec(prompt)

    assert titles(reviewer) == []


def test_many_reviews_of_a_project_stand_in_one_row(project, reviewer):
    for _ in range(4):
        make_spec(make_prompt(project), state="in_review")

    (one,) = waiting_for(reviewer)

    assert one.title == "4 specs wait for a second person"
    assert one.address == "/p/tides/specs/?state=in_review"


def test_a_review_is_as_old_as_the_question_for_it(project, reviewer, author):
    specs.request_review(make_spec(make_prompt(project)), actor=author)

    (one,) = waiting_for(reviewer)

    assert one.since == AuditEvent.objects.get(verb="spec.review_requested").at


def test_what_one_began_to_type_waits_for_oneself_only(project, author, reviewer):
    Draft.objects.create(user=author, project=project, key="settings", saved_at=timezone.now())

    assert titles(author) == ["You began to change the settings"]
    assert titles(reviewer) == []


def test_a_failed_job_waits_for_who_asked_for_it(project, author, reviewer):
    fail(a_job(project, author))

    assert titles(author) == ["Make specs: Start it again."]
    assert titles(reviewer) == []


def test_a_failed_job_that_was_asked_for_again_waits_no_more(project, author):
    fail(a_job(project, author))
    a_job(project, author)

    assert titles(author) == []


def test_a_failure_of_long_ago_waits_no_more(project, author):
    fail(a_job(project, author), finished_at=timezone.now() - timedelta(days=30))

    assert titles(author) == []


def test_the_oldest_comes_first_whatever_its_kind(project, author):
    fail(a_job(project, author))
    make_run(project, state="paused", block_reason="No answer.")
    type(author.jobs.get()).objects.update(finished_at=timezone.now() - timedelta(hours=1))

    assert [title.split(":")[0] for title in titles(author)] == ["Make specs", "Run 1 is paused"]


def test_nothing_of_other_or_archived_projects_waits(project, author):
    make_run(make_project(), state="paused")
    make_run(project, state="paused")
    project.archived_at = timezone.now()
    project.save()

    assert titles(author) == []


def test_a_project_alone_can_be_asked_for(project, author):
    other = make_project()
    make_member(other, Role.AUTHOR, user=author)
    make_run(project, state="paused")
    make_run(other, state="paused")

    assert len(titles(author, project=other)) == 1


def test_who_administers_the_site_sees_what_waits_in_every_project(project):
    make_run(project, state="paused")
    make_spec(make_prompt(project), state="in_review")

    assert len(titles(make_user(is_superuser=True))) == 2


def test_it_takes_six_queries_for_any_number_of_projects(author, django_assert_num_queries):
    for _ in range(10):
        project = make_project()
        make_member(project, Role.AUTHOR, Role.REVIEWER, user=author)
        make_run(project, state="paused")
        make_spec(make_prompt(project), state="in_review")
        fail(a_job(project, author))

    # roles, runs, how many specs, specs, drafts, jobs
    with django_assert_num_queries(6):
        assert len(waiting_for(author)) == 30
