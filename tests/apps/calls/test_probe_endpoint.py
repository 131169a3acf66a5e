import contextlib
import hashlib

import pytest

from apps.activity.errors import Blocked
from apps.calls import services
from apps.calls.models import Call, ModelEndpoint
from apps.calls.services import probes
from rubricstudio.core.types import FailureCause
from rubricstudio.llm.client import RetryRule
from rubricstudio.llm.probe import NONSENSE
from rubricstudio.testing.stub.behaviour import Behaviour
from rubricstudio.testing.stub.process import stub_server
from tests.factories import make_project

NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def _no_long_waits(monkeypatch):
    rule = RetryRule(attempts=2, reparses=1, first_delay=0.01, longest_delay=0.02)
    monkeypatch.setattr(probes, "PROBE_RETRIES", rule)


@pytest.fixture
def stub(tmp_path):
    with stub_server(tmp_path / "requests.jsonl") as running:
        yield running


def client(url, **environment):
    named = {"LLM_BASE_URL": url, "LLM_MODEL": "judge", "LLM_BACKEND": "vllm", **environment}
    services.seed_models(named)
    return services.client_for(None, "judge")


@pytest.mark.django_db(transaction=True)
def test_what_a_server_can_do_is_kept_on_its_row(stub):
    services.probe_endpoint(client(stub.base_url))

    found = ModelEndpoint.objects.get().probe["judge"]
    assert (found["ok"], found["served_model"], found["output_mode"]) == (
        True,
        "judge",
        "explained",
    )


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("fault", ["", "ignored", "http_503"])
def test_what_was_asked_to_find_out_is_kept_as_every_call_is(stub, fault):
    project = make_project()
    asked = client(stub.base_url)
    stub.configure(faults={fault: 1.0} if fault else {})

    with contextlib.suppress(Blocked):
        services.probe_endpoint(asked, project=project)

    calls = Call.objects.filter(project_id=project.pk, role="judge", job_id=None)
    sent = [one.body_sha256 for one in stub.log()]
    assert sorted(calls.values_list("request_sha256", flat=True)) == sorted(sent) != []
    assert all(services.rebuild_request(call) for call in calls)


@pytest.mark.django_db(transaction=True)
def test_what_a_canary_was_answered_with_stands_at_its_call(stub):
    services.probe_endpoint(client(stub.base_url))

    parsed = Call.objects.order_by("pk").values_list("parsed", flat=True)
    assert {one["word"] for one in parsed if one} <= set(NONSENSE)


@pytest.mark.django_db(transaction=True)
def test_a_server_that_is_down_is_said_to_be_down_and_kept_so():
    with pytest.raises(Blocked, match=r"nothing listens at http://127.0.0.1:9/v1.*Start it"):
        services.probe_endpoint(client(NOWHERE))

    found = ModelEndpoint.objects.get().probe["judge"]
    assert (found["ok"], found["cause"]) == (False, "unreachable")


@pytest.mark.django_db(transaction=True)
def test_a_server_that_is_down_is_still_the_one_it_was(stub):
    asked = client(stub.base_url)
    services.probe_endpoint(asked)
    before = asked.configuration()

    stub.configure(faults={"http_500": 1.0})
    with pytest.raises(Blocked):
        services.probe_endpoint(asked)

    assert ModelEndpoint.objects.get().probe["judge"]["ok"] is False
    assert services.client_for(None, "judge").configuration() == before


@pytest.mark.django_db(transaction=True)
def test_a_chat_template_is_unknown_until_the_server_told_it(stub):
    asked = client(stub.base_url)
    before = asked.configuration()["chat_template_sha256"]

    services.probe_endpoint(asked)

    template = Behaviour().chat_template.encode()
    assert before == "unknown"
    assert asked.configuration()["chat_template_sha256"] == hashlib.sha256(template).hexdigest()


@pytest.mark.django_db(transaction=True)
def test_a_server_that_behaves_badly_is_refused_with_advice(stub):
    asked = client(stub.base_url)
    told = {}

    for fault in ("http_503", "ignored", "not_json", "null_content", "http_401"):
        stub.configure(faults={fault: 1.0})
        with pytest.raises(Blocked) as blocked:
            services.probe_endpoint(asked)
        told[fault] = str(blocked.value)

    assert "answered 503" in told["http_503"]
    assert "ignores what an answer is held to" in told["ignored"]
    assert "this is no model server" in told["not_json"]
    assert "Check LLM_BACKEND" in told["null_content"]
    assert "Check LLM_API_KEY" in told["http_401"]


@pytest.mark.django_db(transaction=True)
def test_a_slow_server_is_said_to_be_slow(stub):
    stub.configure(faults={"hang": 1.0})
    client(stub.base_url)
    ModelEndpoint.objects.update(timeout_seconds=1)

    with pytest.raises(Blocked, match=r"did not answer within 1 s.*too slow or overloaded"):
        services.probe_endpoint(services.client_for(None, "judge"))


@pytest.mark.django_db(transaction=True)
def test_a_model_that_the_server_does_not_have_is_named_with_those_it_has(stub):
    with pytest.raises(Blocked, match=r"serves judge and not 'other'.*Check LLM_MODEL"):
        services.probe_endpoint(client(stub.base_url, LLM_MODEL="other"))


@pytest.mark.django_db
def test_without_a_named_model_the_only_one_is_taken(stub):
    assert client(stub.base_url, LLM_MODEL="").role.model == "judge"


@pytest.mark.django_db
def test_a_server_that_keeps_no_list_of_its_models_has_to_be_told_one(stub):
    with pytest.raises(Blocked, match=r"Set LLM_MODEL to one .*: it names none"):
        client(stub.base_url.removesuffix("/v1") + "/nowhere", LLM_MODEL="")


@pytest.mark.django_db
def test_without_a_named_model_a_server_that_is_down_is_said_to_be_down():
    with pytest.raises(Blocked, match="nothing listens"):
        client(NOWHERE, LLM_MODEL="")


@pytest.mark.parametrize("cause", [FailureCause.QUOTA, FailureCause.RATE_LIMITED])
def test_a_cause_comes_with_what_to_do_about_it(cause):
    sentence = services.blocked_sentence(cause, "http://gpu/v1 answered 429: too much.")

    told = "The model server cannot be used: http://gpu/v1 answered 429: too much. "
    assert sentence == told + str(probes.ADVICE[cause])
