"""A project whose specs can be frozen with nothing open: approved, licensed, with a real judge."""

from __future__ import annotations

import pytest

from apps.accounts.models import Role
from apps.bundles import services
from apps.calls.services import seed_models
from apps.rewards.services import config_named
from apps.specs.services import approve_all
from tests import factories
from tests.apps.rewards.world import criteria, save_spec, words_at_most

MODEL = {
    "LLM_BASE_URL": "http://127.0.0.1:9/v1",
    "LLM_MODEL": "a-real-judge",
    "LLM_BACKEND": "vllm",
}


@pytest.fixture
def project():
    return factories.make_project("tides")


@pytest.fixture
def reviewer(project):
    return factories.make_member(project, Role.REVIEWER, user=factories.make_user("reviewer"))


@pytest.fixture
def source(project):
    return factories.make_import(project, licence="CC-BY-4.0", url="https://example.org/tides")


@pytest.fixture
def prompt(project, source):
    """A prompt with a rubric and a checker, a draft."""
    prompt = factories.make_prompt(project, "Why are there tides?", key="tides", source=source)
    save_spec(prompt, criteria({"cause": 5, "plain": 2}), words_at_most(100))
    return prompt


@pytest.fixture
def other_prompt(project, source):
    """A prompt with a rubric alone, a draft."""
    prompt = factories.make_prompt(project, "Say hi.", key="greeting", source=source)
    save_spec(prompt, criteria({"short": 1}))
    return prompt


@pytest.fixture
def ready(project, prompt, other_prompt, reviewer):
    """The project, with nothing open on the checklist."""
    seed_models(MODEL)
    approve_all(project, actor=reviewer)
    return project


@pytest.fixture
def freeze():
    """Freezes a project; values go to the service."""

    def make(project, **values):
        config = values.pop("config", None) or config_named(project=project, name="default")
        return services.freeze(project=project, config=config, **values)

    return make
