"""The steps of the flow: what each holds, and what waits for a person."""

import pytest

from apps.accounts.models import Role
from apps.activity import services as activity
from apps.studio.selectors import count_open_jobs, project_lines, standing, steps
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
    return make_project()


def steps_of(project):
    return standing(project, make_member(project, Role.AUTHOR)).steps


def step(project, key):
    return next(one for one in steps_of(project) if one.key == key)


def test_an_empty_project_has_not_started(project):
    assert {one.state for one in steps_of(project)} == {"none"}


def test_a_prompt_counts_once_as_specified_whatever_its_versions(project):
    prompt = make_prompt(project)
    make_spec(prompt)
    make_spec(prompt)

    assert step(project, "specs").count == 1
    assert step(project, "specs").state == "ready"


def test_prompts_without_a_spec_leave_the_specs_under_way(project):
    make_spec(make_prompt(project))
    make_prompt(project)

    assert step(project, "specs").state == "underway"


def test_more_reviews_than_fit_beside_a_name_are_not_counted(project, monkeypatch):
    monkeypatch.setattr(steps, "MOST_REVIEWS", 2)
    for _number in range(2):
        make_spec(make_prompt(project), state="in_review")
    assert step(project, "specs").short == "2 reviews"

    for _number in range(3):
        make_spec(make_prompt(project), state="in_review")

    assert step(project, "specs").short == "2+ reviews"
    (line,) = project_lines([project])
    assert line.steps[1].short == "2+ reviews"


def test_a_spec_in_review_waits_for_a_person(project):
    make_spec(make_prompt(project), state="in_review")

    assert step(project, "specs").state == "waits"
    assert step(project, "specs").short == "1 review"


def test_a_paused_run_waits_for_a_person(project):
    make_run(project, state="paused")
    make_run(project)

    assert step(project, "runs").state == "waits"
    assert step(project, "runs").short == "1 paused"


def test_a_run_that_is_not_done_is_under_way(project):
    make_run(project)

    assert step(project, "runs").state == "underway"


def test_one_statement_tells_all_steps(project, django_assert_num_queries):
    make_spec(make_prompt(project))
    member = make_member(project, Role.AUTHOR)

    with django_assert_num_queries(1):
        standing(project, member)


def test_the_jobs_under_way_are_those_of_the_projects_a_person_sees(project):
    member = make_member(project, Role.AUTHOR)
    for one in (project, project, make_project()):
        job = activity.create_job(kind="judge", task="x", arguments={}, project=one)
    activity.create_job(kind="judge", task="x", arguments={}, project=project)
    activity.cancel_job(job=job)

    assert standing(project, member).open_jobs == count_open_jobs(member) == 3
    assert count_open_jobs(make_user()) == 0
