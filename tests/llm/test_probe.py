"""What the probe says about servers that are not as they should be."""

import hashlib

import pytest

from rubricstudio.core.types import FailureCause
from rubricstudio.llm.client import Backend, OutputMode, Sampling, Thinking
from rubricstudio.llm.errors import EndpointError
from rubricstudio.llm.probe import probe
from tests.llm.asking import Served, model_at, run


def probed(stub, backend=Backend.VLLM, **changes):
    async def work():
        async with model_at(Served.by(stub, backend), **changes) as model:
            return await probe(model)

    return run(work())


def test_a_server_that_ignores_constraints_does_not_judge(stub):
    stub.configure(faults={"ignored": 1.0})

    with pytest.raises(EndpointError, match="ignores what an answer is held to") as caught:
        probed(stub)

    assert caught.value.cause == FailureCause.CONSTRAINT_IGNORED


def test_a_plain_server_taken_for_vllm_is_refused(stub):
    stub.configure(backend="openai")

    with pytest.raises(EndpointError, match="check the backend setting"):
        probed(stub)


def test_thinking_is_tried_where_it_will_be_used(stub):
    stub.configure(thinking_tokens=30)

    assert probed(stub, thinking=Thinking.BY_WEIGHT).thinks is True
    assert probed(stub, thinking=Thinking.NEVER).thinks is None


def test_a_model_that_does_not_think_when_told_to_is_noticed(stub):
    assert probed(stub, thinking=Thinking.ALWAYS).thinks is False


def test_thinking_that_loses_the_answer_is_told_apart(stub):
    stub.configure(thinking_tokens=5000)

    with pytest.raises(EndpointError, match="while thinking"):
        probed(stub, thinking=Thinking.ALWAYS, sampling=Sampling(thinking_tokens=50))


def test_a_server_that_fails_is_named_with_its_cause(stub):
    stub.configure(faults={"http_500": 1.0})

    with pytest.raises(EndpointError, match="answered 500") as caught:
        probed(stub)

    assert caught.value.cause == FailureCause.SERVER_ERROR


def test_a_chat_template_is_known_by_the_hash_of_its_text(stub):
    stub.configure(chat_template="{{ messages }}")

    told = hashlib.sha256(b"{{ messages }}").hexdigest()
    assert probed(stub).chat_template_sha256 == told


def test_a_server_may_keep_its_chat_template_to_itself(stub):
    stub.configure(chat_template="")

    assert probed(stub).chat_template_sha256 == ""


def test_a_plain_server_is_not_asked_what_it_has_no_words_for(stub):
    stub.configure(backend="openai")

    found = probed(stub, Backend.OPENAI)

    assert (found.server_version, found.chat_template_sha256) == ("", "")


def test_probabilities_are_found_out(stub):
    assert probed(stub, output=OutputMode.LABEL).probabilities is True
