"""Endpoints and roles as people set them."""

import pytest

from apps.activity.errors import BadInput, Conflict
from apps.activity.models import AuditEvent
from apps.calls import selectors, services
from apps.calls.models import ModelEndpoint, ModelRole
from apps.calls.services.encryption import api_key_of
from tests.factories import make_endpoint, make_project

pytestmark = pytest.mark.django_db
VALUES = {"name": "cluster", "url": "https://models.example/v1/", "backend": "vllm"}
SEEDED = {"LLM_BASE_URL": "http://127.0.0.1:9/v1", "LLM_MODEL": "small", "LLM_BACKEND": "vllm"}


@pytest.fixture
def endpoint() -> ModelEndpoint:
    return services.create_endpoint(project=None, values=VALUES, api_key="s3cret")


@pytest.fixture
def seeded() -> ModelEndpoint:
    found = services.seed_models(SEEDED)
    assert found is not None
    return found


def test_an_endpoint_is_kept_with_its_key_encrypted(endpoint):
    endpoint.refresh_from_db()

    assert endpoint.url == "https://models.example/v1"
    assert b"s3cret" not in bytes(endpoint.api_key_encrypted)
    assert api_key_of(endpoint) == "s3cret"


def test_no_key_ever_gets_into_the_trail(endpoint):
    services.change_endpoint(endpoint=endpoint, values={}, api_key="n3wkey")

    assert "s3cret" not in str(list(AuditEvent.objects.values()))
    assert "n3wkey" not in str(list(AuditEvent.objects.values()))
    assert AuditEvent.objects.latest("pk").detail["api_key"] == "set"


@pytest.mark.parametrize(("key", "kept"), [(None, "s3cret"), ("", ""), ("new", "new")])
def test_a_key_is_kept_forgotten_or_replaced(endpoint, key, kept):
    services.change_endpoint(endpoint=endpoint, values={"max_in_flight": 3}, api_key=key)

    endpoint.refresh_from_db()
    assert (api_key_of(endpoint), endpoint.max_in_flight) == (kept, 3)


@pytest.mark.parametrize(
    "values",
    [
        {"url": "models.example"},
        {"url": "file:///etc/passwd"},
        {"url": "http://"},
        {"url": "http://user:pw@models.example/v1"},
        {"url": "http://[::1/v1"},
        {"url": ""},
        {"backend": "other"},
        {"name": ""},
        {"max_in_flight": -1},
        {"colour": "red"},
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(values):
    with pytest.raises(BadInput):
        services.create_endpoint(project=None, values={**VALUES, **values}, api_key="")

    assert not ModelEndpoint.objects.exists()


def test_one_name_once(endpoint):
    with pytest.raises(Conflict, match="cluster already"):
        services.create_endpoint(project=None, values=VALUES, api_key="")

    assert services.create_endpoint(project=make_project(), values=VALUES, api_key="")


def test_of_the_environments_endpoint_only_limits_and_prices_are_set(seeded):
    with pytest.raises(Conflict, match="LLM_BASE_URL"):
        services.change_endpoint(endpoint=seeded, values={"url": "http://other/v1"})
    with pytest.raises(Conflict, match="LLM_BASE_URL"):
        services.change_endpoint(endpoint=seeded, values={}, api_key="x")

    services.change_endpoint(endpoint=seeded, values={"prices": {"prompt": 1.5}})
    again = services.seed_models(SEEDED)
    assert again is not None
    assert again.prices == {"prompt": 1.5}


def test_a_switched_off_endpoint_is_not_asked(endpoint):
    services.set_role(project=None, role="judge", endpoint=endpoint, model="big")
    services.switch_endpoint(endpoint=endpoint, on=False)

    with pytest.raises(Exception, match="switched off"):
        services.client_for(None, "judge")

    services.switch_endpoint(endpoint=endpoint, on=True)
    assert services.client_for(None, "judge").role.model == "big"


def test_a_project_plays_a_role_with_a_model_of_its_own(seeded, endpoint):
    project = make_project()

    services.set_role(
        project=project, role="judge", endpoint=endpoint, model="big", sampling={"seed": 7}
    )

    lines = {line.name.value: line for line in selectors.role_lines(project) if line.row}
    told = {name: (str(line.row), line.own) for name, line in lines.items()}
    assert told["judge"] == ("judge: big", True)
    assert told["rubric"] == ("rubric: small", False)
    assert services.client_for(project, "judge").sampling.seed == 7
    assert services.client_for(None, "judge").role.model == "small"


def test_a_start_leaves_alone_what_a_person_set(seeded, endpoint):
    services.set_role(project=None, role="judge", endpoint=endpoint, model="big")

    services.seed_models(SEEDED)

    assert ModelRole.objects.get(project=None, role="judge").model == "big"


def test_taken_back_the_environment_and_the_installation_decide_again(seeded, endpoint):
    project = make_project()
    for scope in (None, project):
        services.set_role(project=scope, role="judge", endpoint=endpoint, model="big")

    services.reset_role(project=project, role="judge")
    services.reset_role(project=None, role="judge")

    assert services.client_for(project, "judge").role.model == "small"
    assert not ModelRole.objects.filter(project=project).exists()


@pytest.mark.parametrize("values", [{"role": "king"}, {"model": " "}, {"sampling": {"top_p": 2}}])
def test_a_role_that_cannot_be_played_is_refused(endpoint, values):
    wanted = {"role": "judge", "endpoint": endpoint, "model": "big", **values}

    with pytest.raises(BadInput):
        services.set_role(project=None, **wanted)


def test_an_endpoint_of_another_project_plays_no_role_here():
    foreign = make_endpoint(project=make_project())

    with pytest.raises(BadInput, match="another project"):
        services.set_role(project=make_project(), role="judge", endpoint=foreign, model="big")
