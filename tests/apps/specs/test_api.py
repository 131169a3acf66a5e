import pytest

from apps.accounts.models import Scope
from tests.apps.specs.conftest import make
from tests.factories import make_project, make_prompt, make_token

pytestmark = pytest.mark.django_db

GIVEN = {
    "kind": "ifeval",
    "instruction_id_list": ["length_constraints:number_words", "detectable_format:rephrase"],
    "kwargs": [{"num_words": 50, "relation": "at least"}, {}],
}


@pytest.fixture
def reader(client, project):
    token = make_token(project, Scope.SPECS_READ)

    def get(path, **query):
        return client.get(
            f"/api/v1/projects/{project.slug}{path}",
            query,
            headers={"authorization": f"Bearer {token.plaintext}"},
        )

    return get


@pytest.fixture
def prompts(project):
    made = [make_prompt(project, f"prompt {number}", given=GIVEN) for number in range(3)]
    make(project, use_model=False)
    return made


def test_the_newest_specs_are_listed_with_their_counts(reader, prompts):
    reply = reader("/specs").json()

    first = reply["items"][0]
    assert [one["prompt"] for one in reply["items"]] == [one.number for one in prompts]
    assert (first["criteria"], first["checkers"], first["refused"]) == (0, 1, 1)


def test_a_page_names_the_next_one(reader, prompts):
    first = reader("/specs", limit=2).json()

    second = reader("/specs", limit=2, after=first["next"]).json()

    assert [one["prompt"] for one in second["items"]] == [prompts[2].number]
    assert second["next"] is None


def test_specs_of_one_state_can_be_asked_for(reader, prompts):
    assert reader("/specs", state="frozen").json()["items"] == []


def test_an_unknown_state_is_refused_with_the_known_ones(reader, prompts):
    reply = reader("/specs", state="odd")

    assert reply.status_code == 422
    assert "use one of draft, in_review, candidate, frozen" in reply.json()["error"]


def test_a_spec_is_shown_with_its_parts(reader, prompts):
    reply = reader(f"/specs/{prompts[0].number}").json()

    types = [(one["type"], bool(one["refused"])) for one in reply["constraints"]]
    assert types == [
        ("length_constraints:number_words", False),
        ("detectable_format:rephrase", True),
    ]
    assert reply["provenance"]["from"]["constraints"] == "given"


def test_an_earlier_version_is_still_there(reader, project, prompts):
    make(project, use_model=False, remake=True)

    versions = [reader(f"/specs/{prompts[0].number}", version=one).json() for one in (1, 2)]

    assert [one["version"] for one in versions] == [1, 2]


def test_a_prompt_without_a_spec_is_not_found(reader, prompts):
    assert reader("/specs/999").status_code == 404


def test_another_projects_token_sees_nothing(client, project, prompts):
    token = make_token(make_project(), Scope.SPECS_READ)

    reply = client.get(
        f"/api/v1/projects/{project.slug}/specs",
        headers={"authorization": f"Bearer {token.plaintext}"},
    )

    assert reply.status_code == 404


def test_the_number_of_queries_does_not_depend_on_the_page(
    reader, prompts, django_assert_max_num_queries
):
    with django_assert_max_num_queries(6):
        reader("/specs", limit=3)
