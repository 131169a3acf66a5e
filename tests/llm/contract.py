"""What we rely on in a server, written once and run against each: the stub, llama.cpp, vLLM.

A test class takes the parts that its server promises and provides the fixture ``served``. The real
models say nothing sensible, so nothing here depends on what an answer means.
"""

import asyncio
import json
import re
from urllib.request import urlopen

import pytest

from rubricstudio.core.canonical import sha256_hex
from rubricstudio.core.types import Criterion, FailureCause, Message, Role, VerdictState
from rubricstudio.llm.client import Backend, Endpoint, OutputMode, Priority, Sampling, Thinking
from rubricstudio.llm.errors import EndpointError
from rubricstudio.llm.probe import NONSENSE, probe
from rubricstudio.llm.render import request_bytes, shipped_templates
from tests.llm.asking import (
    CRITERION,
    PROMPT,
    RESPONSE,
    judged,
    model_at,
    posted,
    run,
)

THINKING_OFF = {"chat_template_kwargs": {"enable_thinking": False}}


async def _probed(model):
    async with model:
        return await probe(model)


class EveryServer:
    """Promises of every server that we support."""

    at_once = 12

    @pytest.mark.parametrize("mode", OutputMode)
    def test_the_probe_finds_the_configured_mode_working(self, served, mode):
        found = run(_probed(model_at(served, output=mode)))

        assert found.mode == mode
        assert found.models

    def test_an_explained_verdict_carries_the_id_of_its_call(self, served):
        asked = run(judged(model_at(served)))

        # vLLM's grammar lets control characters stand bare in a string.
        content = json.loads(asked.calls[-1].content, strict=False)
        assert content["id"] == f"c1:{asked.calls[-1].nonce}"
        assert asked.value.answer in ("yes", "part", "no")

    def test_a_label_is_one_of_the_answers(self, served):
        asked = run(judged(model_at(served, output=OutputMode.LABEL)))

        assert asked.calls[-1].content == asked.value.answer

    def test_tokens_latency_and_the_served_model_are_accounted_for(self, served):
        call = run(judged(model_at(served, output=OutputMode.LABEL))).calls[-1]

        assert (call.http_status, call.attempt, call.finish_reason) == (200, 1, "stop")
        assert min(call.prompt_tokens, call.completion_tokens, call.latency_ms) > 0
        assert call.served_model

    def test_a_stored_call_rebuilds_into_the_request_that_was_sent(self, served):
        call = run(judged(model_at(served, output=OutputMode.LABEL))).calls[-1]

        content = request_bytes(
            shipped_templates()[call.template_name],
            slots=call.slots,
            nonce=call.nonce,
            body=call.body,
        )
        assert sha256_hex(content) == call.request_sha256

    def test_criteria_of_one_response_share_their_prefix(self, served):
        async def twice():
            async with model_at(served, output=OutputMode.LABEL) as model:
                await model.judge(PROMPT, RESPONSE, criterion=CRITERION)
                other = Criterion("c2", "The response is kind.", 1)
                return await model.judge(PROMPT, RESPONSE, criterion=other)

        call = run(twice()).calls[-1]

        assert call.cached_tokens > call.prompt_tokens / 3

    def test_many_requests_at_once_are_all_answered(self, served):
        async def many():
            async with model_at(served, output=OutputMode.LABEL) as model:
                criteria = [
                    Criterion(f"c{n}", f"It names the number {n}.", 1) for n in range(self.at_once)
                ]
                return await asyncio.gather(
                    *(model.judge(PROMPT, RESPONSE, criterion=one) for one in criteria)
                )

        assert {asked.state for asked in run(many())} == {VerdictState.SCORED}

    def test_a_prompt_beyond_the_context_is_refused_once_with_its_cause(self, served):
        long = [Message(Role.USER, "sea " * 60_000)]

        async def ask():
            async with model_at(served) as model:
                return await model.judge(long, RESPONSE, criterion=CRITERION)

        asked = run(ask())

        assert (asked.failure, len(asked.calls)) == (FailureCause.CONTEXT_LENGTH, 1)

    def test_a_json_schema_is_obeyed(self, served):
        schema = {
            "type": "object",
            "properties": {"word": {"type": "string", "enum": list(NONSENSE)}},
            "required": ["word"],
            "additionalProperties": False,
        }
        wanted = {"name": "x", "strict": True, "schema": schema}
        fields = {"response_format": {"type": "json_schema", "json_schema": wanted}}

        data = run(posted(served, {**fields, **THINKING_OFF, "max_tokens": 64}))

        assert json.loads(data["choices"][0]["message"]["content"])["word"] in NONSENSE


class LocalServer:
    """Promises of the servers that run a model of ours: vLLM and llama.cpp."""

    def test_the_global_score_ends_its_assessment(self, served):
        async def score():
            sampling = Sampling(temperature=0.0, max_tokens=1500)
            async with model_at(served, sampling=sampling) as model:
                return await model.score(PROMPT, RESPONSE)

        asked = run(score())

        # A random model may say a mark of thinking too, so the text itself is looked at.
        assert re.search(r"\[\[(10|[0-9](\.[0-9])?)\]\]\Z", asked.calls[-1].content)

    def test_the_task_label_is_one_of_those_asked(self, served):
        async def label():
            async with model_at(served) as model:
                return await model.label(PROMPT)

        asked = run(label())

        assert json.loads(asked.calls[-1].content)["id"] == f"label:{asked.calls[-1].nonce}"

    def test_the_same_seed_gives_the_same_text(self, served):
        fields = {"seed": 11, "temperature": 1.0, **THINKING_OFF}

        # The first call reads the prompt and the later ones find it in the cache, which rounds
        # otherwise on some processors: alike are only calls that begin alike.
        _cold, first, second = (run(posted(served, fields)) for _ in range(3))

        assert first["choices"][0]["message"] == second["choices"][0]["message"]

    def test_several_samples_cost_the_prompt_once(self, served):
        one = run(posted(served, THINKING_OFF))
        two = run(posted(served, {"n": 2, **THINKING_OFF}))

        assert len(two["choices"]) == 2
        assert two["usage"]["prompt_tokens"] == one["usage"]["prompt_tokens"]


class VllmDialect:
    """Promises of vLLM 0.32 alone."""

    def test_a_label_comes_with_the_probability_of_every_answer(self, served):
        asked = run(judged(model_at(served, output=OutputMode.LABEL)))

        probabilities = dict(asked.value.probabilities)
        assert set(probabilities) == {"yes", "part", "no"}
        assert sum(probabilities.values()) == pytest.approx(1)

    def test_the_probe_learns_the_version_and_the_chat_template(self, served):
        found = run(_probed(model_at(served)))

        assert found.server_version == "0.32.0"
        assert len(found.chat_template_sha256) == 64

    def test_an_unknown_model_is_named_with_those_there_are(self, served):
        with pytest.raises(EndpointError, match="serves judge and not 'gone'") as caught:
            run(_probed(model_at(served._replace(model="gone"))))

        assert caught.value.cause == FailureCause.MODEL_MISSING

    def test_a_call_to_an_unknown_model_is_not_repeated(self, served):
        asked = run(judged(model_at(served._replace(model="gone"))))

        assert (asked.failure, len(asked.calls)) == (FailureCause.MODEL_MISSING, 1)

    def test_two_constraints_at_once_are_refused(self, served):
        fields = {"structured_outputs": {"choice": ["a"], "regex": "a"}}

        with pytest.raises(EndpointError) as caught:
            run(posted(served, fields))

        assert (caught.value.cause, caught.value.status) == (FailureCause.BAD_REQUEST, 400)

    def test_a_schema_that_is_none_is_refused(self, served):
        with pytest.raises(EndpointError) as caught:
            run(posted(served, {"structured_outputs": {"json": {"type": "potato"}}}))

        assert caught.value.status == 400

    @pytest.mark.parametrize(
        "ignored",
        [
            {"guided_choice": list(NONSENSE)},
            {"guided_json": {"type": "object"}},
            {"grammar": 'root ::= "quorvik"'},
            {"a_field_nobody_knows": 1},
        ],
    )
    def test_fields_it_does_not_know_are_ignored_in_silence(self, served, ignored):
        data = run(posted(served, {**ignored, **THINKING_OFF}))

        assert data["choices"][0]["message"]["content"] not in (*NONSENSE, None)

    def test_a_choice_is_obeyed(self, served):
        fields = {"structured_outputs": {"choice": list(NONSENSE)}, **THINKING_OFF}

        data = run(posted(served, fields))

        assert data["choices"][0]["message"]["content"] in NONSENSE

    def test_alternatives_outside_the_choice_are_masked(self, served):
        fields = {"structured_outputs": {"choice": ["yes", "part", "no"]}, **THINKING_OFF}

        data = run(posted(served, {**fields, "logprobs": True, "top_logprobs": 20}))

        first = data["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
        allowed = [one for one in first if one["logprob"] > -9999]
        assert all("yespartno".find(one["token"]) >= 0 for one in allowed)
        assert len(allowed) < len(first)

    def test_thinking_that_eats_the_room_leaves_no_content(self, served):
        fields = {"structured_outputs": {"choice": list(NONSENSE)}, "max_tokens": 16}

        data = run(posted(served, {**fields, "chat_template_kwargs": {"enable_thinking": True}}))

        choice = data["choices"][0]
        assert (choice["message"]["content"], choice["finish_reason"]) == (None, "length")
        assert choice["message"]["reasoning"]
        assert data["usage"]["completion_tokens_details"]["reasoning_tokens"] == 16

    def test_a_judge_whose_thinking_eats_the_room_is_no_negative(self, served):
        sampling = Sampling(temperature=0.0, max_tokens=4, thinking_tokens=4)

        asked = run(
            judged(
                model_at(
                    served, sampling=sampling, thinking=Thinking.ALWAYS, output=OutputMode.LABEL
                )
            )
        )

        assert (asked.state, str(asked.unscored)) == (VerdictState.UNSCORED, "truncated")
        assert [call.content for call in asked.calls] == [None, None]

    def test_a_mode_that_the_backend_setting_breaks_gives_way_to_the_other(self, served):
        # As llama.cpp it gets a grammar for a choice, which vLLM ignores.
        wrong = served._replace(backend=Backend.LLAMACPP)

        found = run(_probed(model_at(wrong, output=OutputMode.LABEL)))

        assert found.mode == OutputMode.EXPLAINED

    def test_a_priority_is_taken(self, served):
        endpoint = Endpoint(served.base_url, served.backend, sorts_by_priority=True)

        asked = run(judged(model_at(served, endpoint=endpoint, output=OutputMode.LABEL)))

        assert json.loads(asked.calls[-1].body)["priority"] == Priority.BATCH
        assert asked.state == VerdictState.SCORED

    def test_more_tokens_than_the_context_are_refused(self, served):
        with pytest.raises(EndpointError) as caught:
            run(posted(served, {"max_tokens": 1_000_000}))

        assert caught.value.status == 400

    def test_it_tokenizes_and_tells_its_metrics(self, served):
        root = served.base_url.removesuffix("/v1")

        counted = run(posted(served, {"prompt": "yes, part, no"}, path=f"{root}/tokenize"))

        assert len(counted["tokens"]) == counted["count"] > 0
        names = _metric_names(f"{root}/metrics")
        assert {
            "vllm:num_requests_running",
            "vllm:num_requests_waiting",
            "vllm:prefix_cache_queries_total",
            "vllm:prefix_cache_hits_total",
        } <= names


class LlamaCppDialect:
    """What differs in llama.cpp's server."""

    def test_the_probe_learns_the_version_and_the_chat_template(self, served):
        found = run(_probed(model_at(served, output=OutputMode.LABEL)))

        assert found.server_version
        assert len(found.chat_template_sha256) == 64

    def test_taken_for_vllm_it_is_refused_with_a_sentence(self, served):
        wrong = served._replace(backend=Backend.VLLM)

        with pytest.raises(EndpointError, match="check the backend setting") as caught:
            run(_probed(model_at(wrong)))

        assert caught.value.cause == FailureCause.CONSTRAINT_IGNORED

    def test_the_name_of_the_model_is_not_checked(self, served):
        asked = run(judged(model_at(served._replace(model="gone"), output=OutputMode.LABEL)))

        assert asked.state == VerdictState.SCORED

    def test_a_grammar_is_obeyed(self, served):
        data = run(posted(served, {"grammar": 'root ::= "quorvik" | "zimbelan"', **THINKING_OFF}))

        assert data["choices"][0]["message"]["content"] in NONSENSE


def _metric_names(url):
    with urlopen(url, timeout=10) as answer:  # noqa: S310 - always http on loopback
        lines = answer.read().decode().splitlines()
    return {line.partition("{")[0] for line in lines if not line.startswith("#")}
