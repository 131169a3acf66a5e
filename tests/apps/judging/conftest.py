"""A project with something to judge, and a model server that answers by a planted truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import Any

import pytest

from apps.accounts.models import Project
from apps.calls import services as calls
from apps.calls.models import ModelEndpoint
from apps.judging import services
from apps.judging.models import JudgeRun
from apps.judging.services import judges
from rubricstudio.llm.client import RetryRule
from rubricstudio.llm.limits import InFlightLimit
from rubricstudio.testing.stub.behaviour import Behaviour
from rubricstudio.testing.stub.process import RunningStub, stub_server
from tests import factories

FillProject = Callable[..., Project]
UseModel = Callable[..., ModelEndpoint]
QUICK = RetryRule(attempts=2, reparses=1, first_delay=0.01, deadline=30.0)


@pytest.fixture(scope="module")
def stub_of_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStub]:
    with stub_server(tmp_path_factory.mktemp("stub") / "requests.jsonl") as running:
        yield running


@pytest.fixture
def stub(stub_of_module: RunningStub) -> Iterator[RunningStub]:
    """A model server without faults; `stub.configure(…)` makes it misbehave for one test."""
    yield stub_of_module
    stub_of_module.configure(**asdict(Behaviour()))


@pytest.fixture
def use_model() -> UseModel:
    """Points all roles to a server; values go to its endpoint."""

    def use(url: str = "http://127.0.0.1:9/v1", **values: Any) -> ModelEndpoint:
        named = {"LLM_BASE_URL": url, "LLM_MODEL": "judge", "LLM_BACKEND": "vllm"}
        endpoint = calls.seed_models(named)
        assert endpoint is not None
        ModelEndpoint.objects.filter(pk=endpoint.pk).update(**values)
        endpoint.refresh_from_db()
        return endpoint

    return use


@pytest.fixture
def fill() -> FillProject:
    """Makes a project of `prompts` prompts, each with its criteria and rollouts."""

    def make(*, prompts: int = 1, rollouts: int = 1, criteria: int = 2) -> Project:
        project = factories.make_project()
        for number in range(prompts):
            prompt = factories.make_prompt(project, f"Why is the sea salty? ({number})")
            factories.make_spec(prompt, *(f"Says thing {place}." for place in range(criteria)))
            group = factories.make_group(prompt)
            for place in range(rollouts):
                factories.make_rollout(prompt, f"Answer {place} to {number}.", group=group)
        return project

    return make


@pytest.fixture
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asks twice with hardly a wait between, where the product asks five times over seconds."""

    def quick(project: Project | None, role: str) -> calls.RoleClient:
        client = calls.client_for(project, role)
        return replace(client, settings=replace(client.settings, retry=QUICK))

    monkeypatch.setattr(judges, "client_for", quick)


class OwnSlots(InFlightLimit):
    """A limit of this process alone, in place of leased slots."""

    async def __aenter__(self) -> OwnSlots:
        return self

    async def __aexit__(self, *_error: object) -> None:
        return None


@pytest.fixture
def own_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases need a second connection, which sees nothing of a test that rolls back."""

    def limiter(client: calls.RoleClient, *, want: int) -> OwnSlots:
        return OwnSlots(min(want, client.endpoint.max_in_flight))

    monkeypatch.setattr(calls.RoleClient, "limiter", limiter)


@pytest.fixture
def started(
    fill: FillProject, use_model: UseModel, stub: RunningStub, quick_retries: None
) -> Callable[..., JudgeRun]:
    """Starts a run whose models have been seen to work: `endpoint` and `run` hold more settings."""

    def start(
        *, endpoint: dict[str, Any] | None = None, run: dict[str, Any] | None = None, **sizes: int
    ) -> JudgeRun:
        use_model(stub.base_url, **(endpoint or {}))
        started = services.start_run(project=fill(**sizes), **(run or {})).run
        judges.usable_judge_for(started)
        return started

    return start


def carry(run: JudgeRun) -> JudgeRun:
    """Carry a run until it ends or stands still, as a command without workers does."""
    while shards := services.take_for_queue(run_id=run.pk):
        for shard_id in shards:
            services.judge_shard(shard_id=shard_id)
    run.refresh_from_db()
    return run
