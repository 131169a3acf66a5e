import stat

import pytest
from django.conf import settings

from apps.activity.errors import BadInput, Blocked
from apps.calls import selectors, services
from apps.calls.models import ModelEndpoint, ModelRole, Origin
from rubricstudio.local import paths
from tests.factories import make_project

pytestmark = pytest.mark.django_db

ENVIRONMENT = {
    "LLM_BASE_URL": "http://gpu:8000/v1",
    "LLM_MODEL": "Qwen/Qwen3.5-35B-A3B",
    "LLM_API_KEY": "sk-secret",
    "LLM_BACKEND": "vllm",
}


def seed(**changes):
    return services.seed_models({**ENVIRONMENT, **changes})


def test_the_environment_names_the_first_endpoint():
    endpoint = seed()

    assert (endpoint.url, endpoint.backend, endpoint.origin) == (
        "http://gpu:8000/v1",
        "vllm",
        Origin.ENVIRONMENT,
    )


def test_priorities_are_sent_where_the_environment_says_that_the_server_sorts_by_them():
    sorts = [seed(**said).sorts_by_priority for said in ({}, {"LLM_PRIORITIES": "true"}, {})]
    seed(LLM_PRIORITIES="true")

    assert sorts == [False, True, False]
    assert services.client_for(None, "judge").settings.endpoint.sorts_by_priority


def test_a_wish_about_priorities_that_is_neither_yes_nor_no_is_refused():
    with pytest.raises(BadInput, match="LLM_PRIORITIES is 'maybe': use true or false"):
        seed(LLM_PRIORITIES="maybe")


def test_no_server_named_means_no_endpoint():
    assert services.seed_models({}) is None


def test_the_row_follows_the_environment_at_the_next_start():
    first = seed()

    second = seed(LLM_BASE_URL="http://other:8000/v1/")

    assert (second.pk, second.url) == (first.pk, "http://other:8000/v1")


def test_an_endpoint_that_a_person_entered_is_never_touched():
    mine = ModelEndpoint.objects.create(name="environment", url="http://mine/v1", backend="openai")

    seed()

    mine.refresh_from_db()
    assert (mine.url, mine.backend) == ("http://mine/v1", "openai")


def test_six_roles_point_to_the_model_of_the_environment():
    seed()

    models = ModelRole.objects.filter(project=None).values_list("role", "model")
    assert dict(models) == dict.fromkeys(ModelRole.Name.values, ENVIRONMENT["LLM_MODEL"])


def test_roles_follow_the_environment_but_for_those_a_person_set():
    endpoint = seed()
    ModelRole.objects.filter(role="judge").update(model="my-judge", origin=Origin.PERSON)

    seed(LLM_MODEL="new-model")

    models = dict(ModelRole.objects.filter(endpoint=endpoint).values_list("role", "model"))
    assert (models["judge"], models["global"]) == ("my-judge", "new-model")


def test_a_project_with_a_role_of_its_own_is_asked_there():
    endpoint = seed()
    project = make_project("p")
    own = ModelRole.objects.create(project=project, role="judge", endpoint=endpoint, model="own")

    assert selectors.role_for(project, "judge") == own


def test_a_project_without_one_uses_the_role_of_the_installation():
    seed()
    project = make_project("p")

    role = selectors.role_for(project, "judge")

    assert role == ModelRole.objects.get(project=None, role="judge")


def test_the_embedded_model_is_marked_and_asked_little(monkeypatch):
    state = {**ENVIRONMENT, "LLM_BACKEND": "llamacpp"}
    monkeypatch.setattr(paths, "read_state", lambda _data, _name: state)

    endpoint = seed(LLM_BACKEND="llamacpp")

    rubric = services.client_for(None, "rubric")
    assert endpoint.is_embedded
    assert (endpoint.max_in_flight, rubric.sampling.most_criteria) == (2, 4)


def test_a_real_server_after_the_embedded_one_gets_its_full_limits(monkeypatch):
    with monkeypatch.context() as embedded:
        embedded.setattr(paths, "read_state", lambda _data, _name: ENVIRONMENT)
        seed()

    endpoint = seed()

    assert (endpoint.is_embedded, endpoint.max_in_flight) == (False, 64)


def test_an_unknown_backend_is_refused_with_the_known_ones():
    with pytest.raises(BadInput, match="'tgi': use one of vllm, llamacpp, openai"):
        seed(LLM_BACKEND="tgi")


def test_without_any_role_a_client_says_what_to_set():
    with pytest.raises(Blocked, match="LLM_BASE_URL and LLM_MODEL"):
        services.client_for(None, "judge")


def test_a_server_that_is_switched_off_is_not_asked():
    seed()
    ModelEndpoint.objects.update(disabled_at="2026-11-30T00:00Z")

    with pytest.raises(Blocked, match="switched off"):
        services.client_for(None, "judge")


def test_a_sampling_that_does_not_hold_is_named():
    seed()
    ModelRole.objects.filter(role="judge").update(sampling={"temperature": -1})

    with pytest.raises(BadInput, match=r"temperature: .*greater than or equal to 0"):
        services.client_for(None, "judge")


def test_an_api_key_is_unreadable_in_the_row():
    endpoint = seed()

    assert b"sk-secret" not in bytes(endpoint.api_key_encrypted)
    assert services.client_for(None, "judge").settings.endpoint.api_key == "sk-secret"


def test_the_key_file_is_readable_by_its_owner_only():
    seed()

    assert stat.S_IMODE(settings.ENCRYPTION_KEY_FILE.stat().st_mode) == 0o600


def test_a_lost_key_file_is_said_in_a_sentence():
    seed()
    settings.ENCRYPTION_KEY_FILE.unlink()

    with pytest.raises(Blocked, match="enter the API key again"):
        services.client_for(None, "judge")


def test_what_a_value_depends_on_names_neither_key_nor_address():
    seed()

    told = str(services.client_for(None, "judge").configuration())

    assert "sk-secret" not in told
    assert "gpu:8000" not in told
