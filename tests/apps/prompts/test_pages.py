"""The pages of prompts, as people of a project get them."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import Role
from apps.prompts.models import Domain
from tests.factories import make_import, make_member, make_project, make_prompt, make_revision

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
