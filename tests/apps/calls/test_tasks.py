import pytest

from apps.calls import tasks
from apps.calls.models import ModelEndpoint, ModelRole


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    monkeypatch.setenv("LLM_BASE_URL", "http://gpu:8000/v1")
    monkeypatch.setenv("LLM_MODEL", "judge")


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_starts_sets_up_the_models_of_its_environment():
    tasks.seed_models()

    assert ModelEndpoint.objects.get().url == "http://gpu:8000/v1"
    assert ModelRole.objects.count() == 6


@pytest.mark.django_db(transaction=True)
def test_a_worker_starts_all_the_same_where_the_environment_is_wrong(monkeypatch, caplog):
    monkeypatch.setenv("LLM_BACKEND", "tgi")

    tasks.seed_models()

    assert "LLM_BACKEND is 'tgi'" in caplog.text
    assert not ModelEndpoint.objects.exists()
