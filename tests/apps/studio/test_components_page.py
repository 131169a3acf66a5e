"""The living page of components."""

import pytest

from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def person(client):
    client.force_login(make_user())
    return client


def test_the_page_shows_every_component(person):
    page = person.get("/help/components/").content.decode()

    for part in (
        'class="strip"',
        'class="pill',
        'class="chip',
        'class="weight',
        'class="criterion"',
        'class="response"',
        'class="run-bar"',
        'class="matrix"',
        'class="statistic"',
        'class="diff',
        "<kbd>",
        'aria-invalid="true"',
        'class="empty"',
        'class="toast"',
        "data-row",
        "data-chart",
        'class="provenance"',
        'class="conflict',
        'class="form confirm"',
    ):
        assert part in page, part
    assert " style=" not in page


def test_the_drawer_gets_its_part_alone(person):
    page = person.get("/help/components/", headers={"HX-Request": "true"}).content.decode()

    assert "<html" not in page
    assert "data-drawer-title" in page
