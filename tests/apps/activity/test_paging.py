"""Pages by cursor: every row once, whatever is added meanwhile."""

import pytest

from apps.activity.errors import BadInput
from apps.activity.paging import LARGEST_PAGE, page
from apps.prompts.models import Prompt, PromptRevision
from tests.factories import make_project, make_prompt

pytestmark = pytest.mark.django_db


@pytest.fixture
def prompts():
    project = make_project()
    return [make_prompt(project, key=f"key{number}") for number in range(5)]


def walk(limit, key):
    after: str | None = None
    seen: list[Prompt] = []
    while True:
        found = page(Prompt.objects.all(), after=after, limit=limit, key=key)
        seen, after = seen + found.items, found.next
        if after is None:
            return seen


@pytest.mark.parametrize("limit", [1, 2, 5, 6])
@pytest.mark.parametrize("key", ["pk", "number", "key"])
def test_every_row_comes_once_in_order(prompts, limit, key):
    assert walk(limit, key) == prompts


def test_a_minus_walks_from_the_newest_down(prompts):
    assert walk(2, "-pk") == prompts[::-1]


def test_rows_may_be_ordered_by_what_they_belong_to(prompts):
    revisions = PromptRevision.objects.select_related("prompt")
    first = page(revisions, after=None, limit=3, key="prompt__number")
    second = page(revisions, after=first.next, limit=3, key="prompt__number")

    assert [one.prompt for one in first.items + second.items] == prompts
    with pytest.raises(BadInput, match="pass on the value"):
        page(revisions, after="x", limit=3, key="prompt__number")


def test_a_full_last_page_has_no_next(prompts):
    assert page(Prompt.objects.all(), after=None, limit=5).next is None


def test_a_row_added_behind_the_cursor_does_not_move_the_rest(prompts):
    first = page(Prompt.objects.all(), after=None, limit=2, key="-pk")
    make_prompt(prompts[0].project)

    second = page(Prompt.objects.all(), after=first.next, limit=2, key="-pk")

    assert second.items == [prompts[2], prompts[1]]


@pytest.mark.parametrize("limit", [0, -1, LARGEST_PAGE + 1])
def test_a_limit_out_of_bounds_is_refused(limit):
    with pytest.raises(BadInput, match="use 1 to 1000"):
        page(Prompt.objects.all(), after=None, limit=limit)


@pytest.mark.parametrize("after", ["x", "1.5", "\0"])
def test_a_cursor_that_is_no_key_is_refused(after):
    with pytest.raises(BadInput, match="pass on the value"):
        page(Prompt.objects.all(), after=after, limit=1)
