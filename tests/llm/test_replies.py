"""Chat completions as servers write them."""

import math

import pytest

from rubricstudio.core.types import FailureCause
from rubricstudio.llm.errors import EndpointBusy
from rubricstudio.llm.replies import read_completion

ANSWERS = ("yes", "part", "no")


def completion(content="yes", *, logprobs=None, usage=None, **message):
    return {
        "model": "judge",
        "choices": [
            {
                "message": {"content": content, **message},
                "finish_reason": "stop",
                "logprobs": logprobs,
            }
        ],
        "usage": usage,
    }


def read(data):
    return read_completion(data, status=200, answers=ANSWERS)


def tokens(*tokens):
    return {
        "content": [
            {"token": token, "top_logprobs": [{"token": t, "logprob": p} for t, p in shares]}
            for token, shares in tokens
        ]
    }


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_reasoning_is_kept_under_either_name(field):
    assert read(completion(None, **{field: "hm"})).reply.reasoning == "hm"


def test_content_in_parts_is_joined():
    parts = [{"type": "text", "text": "ye"}, {"type": "text", "text": "s"}]

    assert read(completion(parts)).reply.content == "yes"


def test_counts_that_are_not_told_are_none():
    found = read(completion(usage={"prompt_tokens": 7, "prompt_tokens_details": None}))

    assert (found.prompt_tokens, found.completion_tokens, found.cached_tokens) == (7, None, None)


def test_the_mass_of_all_ways_to_begin_an_answer_is_its_probability():
    shares = [
        ("par", math.log(0.2)),
        ("p", math.log(0.1)),
        ("yes", math.log(0.3)),
        ("n", math.log(0.1)),
    ]
    logprobs = tokens(("par", [*shares, ("the", -9999.0)]), ("t", [("t", 0.0)]), ("<|end|>", []))

    found = dict(read(completion("part", logprobs=logprobs)).reply.probabilities)

    # 0.2 + 0.1 of 0.7, 0.3 of 0.7, 0.1 of 0.7
    assert found == pytest.approx({"part": 3 / 7, "yes": 3 / 7, "no": 1 / 7})


def test_the_tokens_of_thinking_before_the_answer_are_passed_over():
    even = [("yes", -1.0), ("part", -1.0), ("no", -1.0)]
    logprobs = tokens(("yes", [("yes", 0.0)]), ("?", []), ("no", even))

    found = read(completion("no", logprobs=logprobs)).reply.probabilities

    assert [round(share, 3) for _, share in found] == [0.333] * 3


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        {"content": None},
        {"content": []},
        tokens(("yes", [("yes", -0.1), ("Sure", -2.0)])),
        tokens(("yes", [])),
    ],
)
def test_probabilities_that_cannot_be_told_are_none(logprobs):
    assert read(completion(logprobs=logprobs)).reply.probabilities is None


def test_answers_that_begin_alike_have_no_probabilities():
    logprobs = tokens(("1", [("1", -0.5), ("2", -1.0)]))

    found = read_completion(
        completion("10", logprobs=logprobs), status=200, answers=("1", "2", "10")
    )

    assert found.reply.probabilities is None


@pytest.mark.parametrize(
    "data",
    [None, [], {}, {"choices": []}, {"choices": [{}]}, {"choices": [{"message": "yes"}]}, "x"],
)
def test_what_is_no_completion_is_a_bad_response(data):
    with pytest.raises(EndpointBusy) as caught:
        read(data)

    assert caught.value.cause == FailureCause.BAD_RESPONSE
