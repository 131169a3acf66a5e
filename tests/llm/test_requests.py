import json
from dataclasses import replace
from typing import Any

import pytest

from rubricstudio.core.errors import SettingsError
from rubricstudio.core.types import Criterion
from rubricstudio.llm import questions
from rubricstudio.llm.client import (
    Asked,
    Backend,
    Drawing,
    Endpoint,
    ModelSettings,
    OutputMode,
    Priority,
    RetryRule,
    Sampling,
    Thinking,
)
from rubricstudio.llm.render import shipped_templates
from rubricstudio.llm.requests import build_request
from tests.llm.asking import CRITERION, PROMPT, RESPONSE

SAMPLING = Sampling(
    temperature=0.7, top_p=0.95, top_k=20, max_tokens=100, thinking_tokens=1000, seed=5
)


def settings_for(backend, **changes):
    endpoint = Endpoint("http://localhost/v1", backend)
    return ModelSettings(endpoint, "m", **{"sampling": SAMPLING, **changes})


def built(
    backend=Backend.VLLM,
    *,
    criterion=CRITERION,
    sample=0,
    settings=None,
    nonce="0a1b2c3d",
    **build,
):
    settings = settings or settings_for(backend)
    question = questions.ask_verdict(
        shipped_templates(),
        PROMPT,
        RESPONSE,
        criterion=criterion,
        output=settings.output,
        nonce=nonce,
        sample=sample,
    )
    assert question is not None
    return build_request(settings, question, **build)


def request(backend=Backend.VLLM, **options):
    return json.loads(built(backend, **options).content)


def test_vllm_gets_structured_outputs_and_its_own_fields():
    sent = request()

    assert sent["structured_outputs"]["json"]["properties"]["id"]["enum"] == ["c1:0a1b2c3d"]
    assert (sent["top_k"], sent["max_tokens"]) == (20, 100)
    assert sent["chat_template_kwargs"] == {"enable_thinking": False}


def test_a_choice_for_vllm_asks_for_probabilities():
    sent = request(settings=settings_for(Backend.VLLM, output=OutputMode.LABEL))

    assert sent["structured_outputs"] == {"choice": ["yes", "part", "no"]}
    assert (sent["logprobs"], sent["max_tokens"]) == (True, 16)


def test_llama_cpp_gets_a_grammar_for_a_choice():
    sent = request(settings=settings_for(Backend.LLAMACPP, output=OutputMode.LABEL))

    assert sent["grammar"] == 'root ::= "yes" | "part" | "no"'


def test_a_plain_server_gets_nothing_it_would_refuse():
    sent = request(Backend.OPENAI)

    assert not {"top_k", "chat_template_kwargs", "structured_outputs", "max_tokens"} & set(sent)
    assert sent["max_completion_tokens"] == 100
    assert "maxLength" not in json.dumps(sent["response_format"])


def sorting(backend):
    endpoint = Endpoint("http://localhost/v1", backend, sorts_by_priority=True)
    return ModelSettings(endpoint, "m", sampling=SAMPLING)


def test_a_vllm_that_sorts_by_priority_is_told_who_waits():
    batch = sorting(Backend.VLLM)
    person = replace(batch, priority=Priority.PERSON)

    assert [request(settings=one)["priority"] for one in (person, batch)] == [0, 10]


@pytest.mark.parametrize(
    "settings",
    [settings_for(Backend.VLLM), sorting(Backend.LLAMACPP), sorting(Backend.OPENAI)],
)
def test_nobody_else_gets_a_priority(settings):
    assert "priority" not in request(settings=settings)


def test_guided_fields_are_never_sent():
    everything = json.dumps([request(backend) for backend in Backend])

    assert "guided_" not in everything


@pytest.mark.parametrize(
    ("rule", "weight", "switch"),
    [
        (Thinking.BY_WEIGHT, 1, False),
        (Thinking.BY_WEIGHT, 2, False),
        (Thinking.BY_WEIGHT, 3, True),
        (Thinking.BY_WEIGHT, 5, True),
        (Thinking.BY_WEIGHT, None, True),
        (Thinking.ALWAYS, 1, True),
        (Thinking.NEVER, 5, False),
        (Thinking.UNSAID, 5, None),
    ],
)
def test_thinking_follows_its_rule(rule, weight, switch):
    assert rule.switch(weight) is switch


def test_the_switch_is_sent_on_every_call_with_room_for_thinking():
    sent = request(criterion=Criterion("c5", "It is kind.", 5))

    assert sent["chat_template_kwargs"] == {"enable_thinking": True}
    assert sent["max_tokens"] == 1100


@pytest.mark.parametrize(("weight", "told"), [(2, (0.2, 0.8, 5, 1.5)), (3, (0.7, 0.95, 20, None))])
def test_where_the_model_is_told_not_to_think_it_is_sampled_by_the_numbers_for_that(weight, told):
    sampling = replace(SAMPLING, without_thinking=Drawing(0.2, 0.8, 5, 1.5))
    criterion = Criterion("c1", "It is kind.", weight)

    sent = request(criterion=criterion, settings=settings_for(Backend.VLLM, sampling=sampling))

    names = "temperature", "top_p", "top_k", "presence_penalty"
    assert tuple(sent.get(name) for name in names) == told


def test_growth_multiplies_all_of_the_room():
    assert request(criterion=Criterion("c5", "It is kind.", 5), growth=4)["max_tokens"] == 4400


def test_seeds_differ_by_sample_and_by_attempt():
    seeds = [request(sample=k, reparse=j)["seed"] for k in range(3) for j in range(3)]

    assert seeds[0] == 5
    assert len(set(seeds)) == 9


def test_settings_left_to_the_server_are_not_sent():
    sent = request(settings=settings_for(Backend.VLLM, sampling=Sampling(temperature=None)))

    assert not {"temperature", "top_p", "top_k", "seed", "presence_penalty"} & set(sent)


def test_one_body_serves_all_criteria_of_a_scale_and_weight_class():
    bodies = {
        built(criterion=Criterion(f"c{n}", f"It names {n}.", 1), nonce=f"0a1b2c3{n}").body
        for n in range(5)
    }

    assert len(bodies) == 1


def test_a_key_of_any_letters_makes_a_plain_id():
    sent = request(criterion=Criterion('ü "<<END:x>>\n{id}', "It is kind.", 1))

    assert sent["structured_outputs"]["json"]["properties"]["id"]["enum"] == [
        "-----END-x----id-:0a1b2c3d"
    ]


def test_plain_words_of_a_table_become_rules_and_modes():
    words: dict[str, Any] = {"thinking": "never", "output": "label"}
    backend: Any = "llamacpp"

    settings = ModelSettings(Endpoint("http://localhost/v1", backend), "m", **words)

    assert settings.endpoint.backend is Backend.LLAMACPP
    assert (settings.thinking, settings.output) == (Thinking.NEVER, OutputMode.LABEL)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Endpoint("localhost:8000/v1", Backend.VLLM),
        lambda: Endpoint("http://localhost/v1", Backend.VLLM, timeout=0),
        lambda: Sampling(max_tokens=0),
        lambda: RetryRule(attempts=0),
        lambda: RetryRule(growth=1),
        lambda: Asked(),
    ],
)
def test_settings_that_cannot_work_are_refused(make):
    with pytest.raises(SettingsError):
        make()
