"""The trail in words: who did what to which thing."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from apps.accounts.models import Role
from apps.activity import services as activity
from apps.studio import words
from apps.studio.selectors import events_of, recent_days, things, told
from tests.factories import (
    make_bundle,
    make_config,
    make_member,
    make_project,
    make_prompt,
    make_reward_run,
    make_rollout,
    make_run,
    make_spec,
    newest,
)

WRITTEN = re.compile(r'(?:verb=|_record\([^"]*|= )"([a-z_]+\.[a-z_]+)"')
CREATED = re.compile(r'(?:create_job\(\s*kind=|\nKIND\b[^=]*= )"(\w+)"')
pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project("tides", name="Tides")


def sentence(happening):
    thing = happening.thing.label if happening.names_thing else ""
    return f"{happening.before}{thing}{happening.after} {happening.numbers}".strip()


def test_an_act_is_told_with_its_thing_and_its_numbers(project):
    run = make_run(project)
    activity.record(verb="run.started", target=run, project=project, detail={"expected": 20})

    (one,) = told(events_of(project))

    assert sentence(one) == "started run 1 20 cells"
    assert one.thing.address.startswith("/p/tides/runs/")


def test_an_act_that_nobody_gave_words_is_told_by_its_name(project):
    activity.record(verb="spec.re_painted", target=project, project=project)

    assert sentence(told(events_of(project))[0]) == "spec re painted Tides"


def test_a_thing_that_is_gone_is_told_by_its_number(project):
    event = activity.record(verb="run.paused", target=make_run(project), project=project)
    event.target_id = "999"

    assert sentence(told([event])[0]) == "paused judgerun 999"


def test_a_page_of_events_asks_once_a_type_of_thing(project, django_assert_num_queries):
    for _ in range(5):
        activity.record(verb="run.paused", target=make_run(project), project=project)
        activity.record(verb="spec.saved", target=make_spec(make_prompt(project)), project=project)

    # the events, the runs, the specs
    with django_assert_num_queries(3):
        assert len(told(events_of(project))) == 10


def test_a_detail_of_thousands_of_things_is_not_read_for_a_list(project):
    activity.record(
        verb="specs.approved", target=project, project=project, detail={"specs": [*range(20_000)]}
    )

    assert sentence(told(events_of(project))[0]) == "approved specs of Tides"


def test_events_stand_by_day(project):
    activity.record(verb="project.created", target=project, project=project)

    ((_day, happenings),) = recent_days(project)

    assert [sentence(one) for one in happenings] == ["created Tides"]


def test_everything_in_a_project_has_a_name_and_an_address(project):
    prompt = make_prompt(project)
    run = make_run(project)
    made = [
        prompt,
        newest(prompt).source,
        make_spec(prompt),
        make_rollout(prompt),
        run,
        make_reward_run(run),
        make_config(project),
        make_bundle(project),
        project,
        make_member(project, Role.AUTHOR),
    ]

    found = things((one._meta.label_lower, str(one.pk)) for one in made)

    assert sorted(thing.label for thing in found.values() if "user" not in thing.label) == sorted(
        [
            *("prompt 1", "file.jsonl", "spec 1 v1", "rollout 1", "run 1", "reward run 1"),
            *("default v2", "bundle 1", "Tides"),
        ]
    )
    assert len(found) == len(made)


def test_every_act_that_a_service_writes_down_has_words():
    sources = Path(settings.BASE_DIR, "apps").rglob("services/*.py")
    written = {
        verb
        for source in sources
        for verb in re.findall(
            r'(?:verb=|_record\([^"]*|= )"([a-z_]+\.[a-z_]+)"', source.read_text()
        )
    }

    assert "run.started" in written
    assert written - set(words.ACTS) == set()


def test_every_kind_of_job_has_words():
    sources = Path(settings.BASE_DIR, "apps").rglob("services/*.py")
    kinds = {
        kind
        for source in sources
        for kind in re.findall(
            r'(?:create_job\(\s*kind=|\nKIND\b[^=]*= )"(\w+)"', source.read_text()
        )
    }

    assert "make_specs" in kinds
    assert kinds - set(words.JOBS) == set()
