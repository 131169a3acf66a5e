"""The planted truth: alike everywhere, and spread as planted."""

import collections

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.llm import schemas
from rubricstudio.testing.stub import truth
from rubricstudio.testing.stub.completion import Completions
from rubricstudio.testing.stub.conforming import Conforming

ANSWERS = ("yes", "part", "no")
BLOCKS = {"prompt": "Write at least 300 words.", "response": "So be it.", "criterion": "It is."}


def test_the_truth_is_alike_on_every_machine():
    # The first 8 bytes of blake2b over the parts, a unit separator between them, by 2^64.
    assert truth.share("verdict", "a", "b") == pytest.approx(0.655711, abs=1e-6)


def test_verdicts_are_spread_evenly():
    told = collections.Counter(
        truth.planted_verdict(f"response {number}", "It is kind.", ANSWERS)
        for number in range(3000)
    )

    assert all(count == pytest.approx(1000, abs=150) for count in told.values())


@given(st.text(), st.text())
def test_a_share_is_a_share(one, other):
    assert 0 <= truth.share(one, other) < 1


@given(st.text())
def test_a_planted_score_is_a_half_from_0_to_10(response):
    score = truth.planted_score(response)

    assert 0 <= score <= 10
    assert (score * 2).is_integer()


def test_planted_constraints_quote_the_prompt():
    found = truth.planted_constraints("Use at most 3 sentences and exactly 12 lines.")

    assert [(one["type"], one["source_quote"]) for one in found] == [
        ("sentence_count", "at most 3 sentences"),
        ("line_count", "exactly 12 lines"),
    ]


def conforms(value, schema):
    """Whether a value keeps to the part of JSON schema that our schemas use."""
    if "anyOf" in schema:
        return any(conforms(value, one) for one in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    if schema["type"] == "object":
        return set(value) == set(schema["properties"]) and all(
            conforms(value[name], below) for name, below in schema["properties"].items()
        )
    if schema["type"] == "array":
        fits = schema["minItems"] <= len(value) <= schema["maxItems"]
        return fits and all(conforms(one, schema["items"]) for one in value)
    if schema["type"] == "string":
        return isinstance(value, str) and len(value) <= schema["maxLength"]
    kinds = {"null": type(None), "number": int | float, "integer": int}
    return isinstance(value, kinds[schema["type"]])


@pytest.mark.parametrize(
    "schema",
    [
        schemas.verdict(ANSWERS),
        schemas.label(["coding", "general"]),
        schemas.rubric(4),
        schemas.constraints(),
        schemas.word_object(["a", "b"]),
    ],
)
def test_values_conform_to_the_schemas_that_we_ask_for(schema):
    assert conforms(Conforming(BLOCKS).value(schema), schema)


def test_only_whole_blocks_of_a_known_prefix_are_cached():
    completions = Completions()

    shared = "x" * 128 * 3
    cached = [completions._cached(shared + rest) for rest in ("", "tail", "other" * 30)]

    # 3 blocks of 32 tokens at 4 letters each.
    assert cached == [0, 96, 96]
