import pytest

from apps.calls import selectors, services
from rubricstudio.core.types import FailureCause
from tests.apps.calls.conftest import make_record
from tests.factories import make_endpoint, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project("p")


def ask(endpoint, project, records, *, role="judge"):
    asker = services.Asker(endpoint_id=endpoint.pk, role=role, project_id=project.pk)
    services.store_calls(records, asker=asker)


def test_usage_counts_every_attempt_and_its_tokens(project):
    endpoint = make_endpoint()
    failed = make_record(content=None, cause=FailureCause.TIMEOUT, error="too late")
    answered = make_record(attempt=2, prompt_tokens=100, completion_tokens=20)
    ask(endpoint, project, [failed, answered])

    (found,) = selectors.usage(project)

    assert (found.calls, found.failed) == (2, 1)
    assert (found.prompt_tokens, found.completion_tokens) == (100, 20)


def test_cost_is_tokens_times_prices_per_million(project):
    endpoint = make_endpoint(prices={"prompt": 2.0, "completion": 10.0, "currency": "EUR"})
    ask(endpoint, project, [make_record(prompt_tokens=1_000_000, completion_tokens=50_000)])

    (found,) = selectors.usage(project)

    # 1 M * 2 / M + 0.05 M * 10 / M
    assert found.cost == pytest.approx(2.5)
    assert found.currency == "EUR"


def test_without_prices_there_is_no_cost(project):
    ask(make_endpoint(), project, [make_record(prompt_tokens=5)])

    (found,) = selectors.usage(project)

    assert found.cost is None


def test_usage_is_told_apart_by_role(project):
    endpoint = make_endpoint()
    ask(endpoint, project, [make_record()], role="judge")
    ask(endpoint, project, [make_record()] * 2, role="global")

    assert {row.role: row.calls for row in selectors.usage(project)} == {"judge": 1, "global": 2}


def test_another_projects_calls_are_not_counted(project):
    ask(make_endpoint(), make_project("other"), [make_record()])

    assert selectors.usage(project) == []
