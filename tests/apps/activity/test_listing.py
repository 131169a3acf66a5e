"""List pages: the URL alone says what is shown."""

import pytest
from django.test import RequestFactory

from apps.activity.errors import BadInput
from apps.activity.listing import Filter, by_field, listing
from apps.prompts.models import Prompt
from tests.factories import make_project, make_prompt

pytestmark = pytest.mark.django_db
FILTERS = (
    Filter("key", "Key", by_field("key__contains")),
    Filter("removed", "Removed", by_field("removed"), choices=[("yes", "Yes"), ("no", "No")]),
)


@pytest.fixture(autouse=True)
def prompts():
    project = make_project()
    return [make_prompt(project, key=f"key{number}") for number in range(5)]


def shown(query="", limit=2):
    request = RequestFactory().get(f"/?{query}")
    return listing(request, Prompt.objects.all(), filters=FILTERS, key="-number", limit=limit)


def test_the_pages_lead_forth_and_back(prompts):
    first = shown()
    second = shown(first.next_query)
    third = shown(second.next_query)
    back = shown(third.previous_query)

    assert [one.items for one in (first, second, third)] == [
        prompts[4:2:-1],
        prompts[2:0:-1],
        prompts[:1],
    ]
    assert back.items == second.items
    assert shown(back.previous_query).items == first.items


def test_the_ends_of_the_list_lead_nowhere():
    assert shown().previous_query is None
    assert shown(limit=5).next_query is None
    assert shown(shown(shown().next_query).previous_query).previous_query is None


def test_a_filter_goes_along_to_the_next_page():
    assert shown("key=key").next_query == "key=key&after=4"


def test_a_filter_narrows_and_says_so(prompts):
    found = shown("key=key3")

    assert found.items == [prompts[3]]
    assert found.filtered
    assert not shown("key=+").filtered


def test_a_choice_that_does_not_exist_is_refused_by_name():
    with pytest.raises(BadInput, match="Removed cannot be 'maybe': choose one of yes, no"):
        shown("removed=maybe")


@pytest.mark.parametrize("text", ["%00", "x" * 201])
def test_a_text_that_cannot_be_searched_is_refused(text):
    with pytest.raises(BadInput, match="shorten it"):
        shown(f"key={text}")
