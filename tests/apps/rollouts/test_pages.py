"""The page of one rollout."""

import time

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import Role
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return factories.make_project("tides")


@pytest.fixture
def reader(client, project):
    client.force_login(factories.make_member(project, Role.AUDITOR))
    return client


def get(client, path):
    response = client.get(f"/p/tides/rollouts/{path}")
    assert response.status_code == 200, response.content
    return response.content.decode()


def test_a_rollout_is_shown_with_what_came_with_it(reader, project):
    prompt = factories.make_prompt(project)
    rollout = factories.make_rollout(
        prompt,
        "The **Moon** pulls the water.",
        policy="my-model",
        step=40,
        trainer_reward=0.625,
        columns={"length_bonus": 0.5},
        truncated=True,
    )

    page = get(reader, f"{rollout.number}/")

    for shown in ("<strong>Moon</strong>", "my-model", "0.6250", "length_bonus", "cut off"):
        assert shown in page


def test_its_siblings_and_revisions_are_a_step_away(reader, project):
    prompt = factories.make_prompt(project)
    group = factories.make_group(prompt)
    first = factories.make_rollout(prompt, "One.", group=group, key="a")
    second = factories.make_rollout(prompt, "Two.", group=group, key="a", revision=2)

    page = get(reader, f"{first.number}/")

    assert f'href="/p/tides/rollouts/{second.number}/"' in page
    assert f"compare/?a={first.number}&amp;b={second.number}" in page


def test_a_megabyte_is_shown_in_part_at_once_with_a_way_to_all_of_it(reader, project):
    text = "Once upon a time there was a story. " * 30_000
    rollout = factories.make_rollout(factories.make_prompt(project), text)

    began = time.process_time()
    page = get(reader, f"{rollout.number}/")

    assert time.process_time() - began < 2
    assert len(page) < 200_000
    assert page.count("<") < 5_000
    assert f'href="/p/tides/rollouts/{rollout.number}/text/"' in page
    whole = reader.get(f"/p/tides/rollouts/{rollout.number}/text/")
    assert whole.content.decode() == text
    assert whole["content-type"] == "text/plain; charset=utf-8"


def test_several_turns_are_shown_in_order_and_named_in_the_raw_text(reader, project):
    messages = [
        {"role": "tool_call", "name": "tides", "content": "{}"},
        {"role": "tool_result", "name": "tides", "content": "high"},
        {"role": "assistant", "content": "It is high."},
    ]
    rollout = factories.make_rollout(factories.make_prompt(project), messages=messages)

    page = get(reader, f"{rollout.number}/")

    assert page.index("Tool call") < page.index("Tool result") < page.index("It is high.")
    raw = reader.get(f"/p/tides/rollouts/{rollout.number}/text/").content.decode()
    assert raw == "[tool_call]\n{}\n\n[tool_result]\nhigh\n\n[assistant]\nIt is high."


def test_other_scripts_have_their_direction_and_language(reader, project):
    prompt = factories.make_prompt(project, "כתוב על הים")
    rollout = factories.make_rollout(prompt, "海水是咸的🌊，因为河流带来盐分。")

    page = get(reader, f"{rollout.number}/")

    assert 'lang="zh"' in page
    assert '<span dir="auto">כתוב על הים</span>' in page


def test_the_text_of_the_prompt_is_not_read(reader, project):
    rollout = factories.make_rollout(factories.make_prompt(project))

    with CaptureQueriesContext(connection) as queries:
        get(reader, f"{rollout.number}/")

    shown = " ".join(query["sql"] for query in queries.captured_queries)
    assert '"prompts_promptrevision"."messages"' not in shown


def test_a_rollout_that_is_not_there_is_not_found(reader):
    assert reader.get("/p/tides/rollouts/7/").status_code == 404
