"""The pages of prompts, as people of a project get them."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import Role
from apps.prompts.models import Domain
from apps.prompts.views.detail import given_rows
from tests.factories import (
    make_import,
    make_member,
    make_project,
    make_prompt,
    make_revision,
    newest,
)

pytestmark = pytest.mark.django_db
PAYLOADS = ('"messages"', '"tools"', '"columns"', '"given"')


@pytest.fixture
def project():
    return make_project("tides", name="Tides")


@pytest.fixture
def author(client, project):
    client.force_login(make_member(project, Role.AUTHOR))
    return client


def text(client, address):
    response = client.get(f"/p/tides/prompts/{address}")
    assert response.status_code == 200, response.content.decode()
    return response.content.decode()


def test_a_list_shows_number_text_key_length_and_file(author, project):
    source = make_import(project, finished_at=timezone.now())
    make_prompt(project, "Why <tides>?", key="row-1", source=source)

    page = text(author, "")

    for shown in ("Why &lt;tides&gt;?", "row-1", "file.jsonl", "1 prompt in all"):
        assert shown in page
    assert 'href="1/"' in page


def test_an_empty_project_says_what_comes_first(author):
    assert "No prompts yet" in text(author, "")


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("q=2", {2}),
        ("q=moon", {1}),
        ("q=MOON+pull", {1}),
        ("q=moon+stars", set()),
        ("q=key-two", {2}),
        ("q=海", {3}),
        ("q=100%25", {4}),
        ("q=99999999999", set()),
        ("source=2", {2}),
        ("domain=sea", {3}),
        ("state=archived", {4}),
        ("state=in_use", {1, 2, 3}),
        ("state=in_use&q=moon", {1}),
    ],
)
def test_filters_in_the_address_narrow_the_list(author, project, query, numbers):
    first, second = (make_import(project, finished_at=timezone.now()) for _ in range(2))
    texts = {"one": "The moon pulls", "key-two": "Two", "three": "海 sea", "four": "All 100% of it"}
    prompts = [
        make_prompt(project, words, key=key, source=second if key == "key-two" else first)
        for key, words in texts.items()
    ]
    prompts[2].domain = Domain.objects.create(project=project, key="sea", name="Sea")
    prompts[2].save()
    prompts[3].archived_at = timezone.now()
    prompts[3].save()

    page = text(author, f"?{query}")

    assert {number for number in range(1, 5) if f'href="{number}/"' in page} == numbers
    assert ("No prompt matches" in page) == (not numbers)


def test_a_filter_that_is_none_is_refused_with_a_sentence(author, project):
    make_prompt(project)

    response = author.get("/p/tides/prompts/?state=lost")

    assert response.status_code == 422
    assert "choose one of in_use, archived" in response.content.decode()


def test_a_list_takes_six_queries_and_reads_no_texts(author, project):
    for number in range(60):
        make_revision(make_prompt(project, f"Text {number}"), "changed")

    with CaptureQueriesContext(connection) as queries:
        page = text(author, "")

    # session, person, project with roles, the frame of the list, its rows, the steps of the flow
    assert len(queries) == 6
    assert [name for name in PAYLOADS for query in queries if name in query["sql"]] == []
    assert "?after=50" in page


def test_fifty_long_texts_make_a_small_page(author, project):
    for number in range(60):
        make_prompt(project, f"{number} {'潮汐为什么' * 1000}", key=f"{number}" * 50)

    assert len(text(author, "").encode()) < 60_000


MESSAGES = [
    {"role": "system", "content": "You are careful."},
    {"role": "user", "content": "למה יש גאות?"},
    {"role": "reasoning", "content": "They ask about tides."},
    {"role": "tool_call", "content": '{"at": "sea"}', "name": "look_up", "call_id": "call-7"},
    {"role": "tool_result", "content": "<b>high</b>", "name": "look_up", "call_id": "call-7"},
    {"role": "user", "content": "And **why**?"},
]


def test_a_prompt_shows_every_kind_of_message(author, project):
    make_prompt(project, messages=MESSAGES)

    page = text(author, "1/")

    for shown in ("System", "User", "Reasoning", "Tool call", "Tool result", "look_up call-7"):
        assert shown in page
    assert "&lt;b&gt;high&lt;/b&gt;" in page
    assert "<strong>why</strong>" in page
    assert 'lang="he"' in page


def test_a_prompt_shows_what_came_beside_it(author, project):
    prompt = make_prompt(
        project,
        tools=[{"name": "look_up"}],
        columns={"canary": "secret", "year": 2024},
        given={"kind": "healthbench", "rubrics": [{"criterion": "Names it.", "points": -3}]},
    )
    newest(prompt).passages.create(position=1, title="On tides", text="The Moon", url="https://x.y")
    newest(prompt).references.create(position=1, text="Because of the Moon.")

    page = text(author, "1/")

    for shown in ("look_up", "2024", "-3", "Names it.", "On tides", "Because of the Moon."):
        assert shown in page
    assert "secret" not in page
    assert "secret" not in text(author, "1/text/")


@pytest.mark.parametrize(
    ("given", "rows"),
    [
        (
            {"instruction_id_list": ["a:b", "c:d"], "kwargs": [{"n": 3}, {}]},
            [("a:b", '{"n": 3}'), ("c:d", "")],
        ),
        ({"checklist": [{"name": "Tone", "criteria_description": "Warm"}]}, [("Tone", "Warm")]),
        ({}, []),
    ],
)
def test_what_was_published_is_shown_row_by_row(given, rows):
    assert given_rows(given) == rows


def test_a_prompt_says_where_it_comes_from(author, project):
    source = make_import(project, licence="CC0", url="https://sea.example", allowed_use="research")
    make_prompt(project, source=source)

    page = text(author, "1/")

    for shown in ("file.jsonl", "CC0", "https://sea.example", "research"):
        assert shown in page


def test_prompts_lead_to_their_neighbours(author, project):
    for _ in range(3):
        make_prompt(project)

    assert re.findall(r'rel="(prev|next)"\s+href="([^"]+)"', text(author, "2/")) == [
        ("prev", "/p/tides/prompts/1/"),
        ("next", "/p/tides/prompts/3/"),
    ]
    assert 'rel="prev"' not in text(author, "1/")
    assert 'rel="next"' not in text(author, "3/")


def test_what_changed_between_two_revisions_is_shown_word_by_word(author, project):
    prompt = make_prompt(project, "Explain the tides.", columns={"year": 1})
    prompt.current = make_revision(prompt, "Explain the moon.", columns={"year": 2})
    prompt.save()

    page = text(author, "1/?revision=2&against=1")

    assert "<del>tides</del><ins>moon</ins>" in page
    assert "Columns" in page
    assert "Explain the tides." in text(author, "1/?revision=1")
    assert "not the current one" in text(author, "1/?revision=1")


@pytest.mark.parametrize("query", ["revision=3", "against=3", "revision=1&against=9"])
def test_a_revision_that_is_not_there_is_not_found(author, project, query):
    make_prompt(project)

    assert author.get(f"/p/tides/prompts/1/?{query}").status_code == 404


def test_a_revision_that_is_no_number_is_refused(author, project):
    make_prompt(project)

    assert author.get("/p/tides/prompts/1/?revision=x").status_code == 422


def test_a_megabyte_is_cut_with_a_link_to_all_of_it(author, project):
    long = "海には潮の満ち引きがある。" * 80_000
    make_prompt(project, messages=[{"role": "user", "content": long}])

    page = text(author, "1/")
    assert len(page.encode()) < 200_000
    assert "/p/tides/prompts/1/text/?revision=1&amp;message=1" in page

    whole = author.get("/p/tides/prompts/1/text/?revision=1&message=1")
    assert whole.content.decode() == long
    assert whole["Content-Type"] == "text/plain; charset=utf-8"


def test_many_messages_make_a_small_page_too(author, project):
    messages = [
        {"role": "user", "content": f"{number} " + "words " * 3000} for number in range(200)
    ]
    make_prompt(project, messages=messages)

    page = text(author, "1/")

    assert len(page.encode()) < 200_000
    assert "170 more messages:" in page
