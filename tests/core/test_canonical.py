import json
import math
from http import HTTPStatus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.canonical import canonical_hash, canonical_json
from rubricstudio.core.errors import CanonicalError
from rubricstudio.core.types import Role

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
)


@given(JSON)
def test_reading_a_canonical_text_and_writing_it_again_changes_nothing(value):
    text = canonical_json(value)

    assert canonical_json(json.loads(text)) == text


@given(JSON)
def test_a_canonical_text_reads_back_to_an_equal_value(value):
    assert json.loads(canonical_json(value)) == value


@given(st.dictionaries(TEXT, NUMBERS))
def test_the_order_of_keys_does_not_matter(value):
    turned = dict(reversed(value.items()))

    assert canonical_json(turned) == canonical_json(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_reads_back_to_the_same_number(number):
    assert math.copysign(1, json.loads(canonical_json(number)) or 0) == math.copysign(
        1, number or 0
    )
    assert json.loads(canonical_json(number)) == number


def test_the_form_is_compact_sorted_and_not_escaped():
    value = {"ü": [1, 2.5, None, True], "a": {"z": "\u2028 “x”", "b": ()}}

    expected = '{"a":{"b":[],"z":"\u2028 “x”"},"ü":[1,2.5,null,true]}'
    assert canonical_json(value).decode() == expected


@pytest.mark.parametrize(
    ("number", "text"),
    [(3.0, "3"), (-0.0, "0"), (0.1, "0.1"), (1e300, "1e+300"), (2.0**53, "9007199254740992")],
)
def test_a_number_has_one_form(number, text):
    assert canonical_json(number).decode() == text


def test_an_enumeration_is_written_as_its_value():
    assert canonical_json([Role.USER, HTTPStatus.OK]) == b'["user",200]'


def test_a_float_and_the_integer_it_equals_have_one_hash():
    assert canonical_hash({"weight": 3.0}) == canonical_hash({"weight": 3})


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (math.nan, "the value is nan, and JSON has only finite numbers"),
        ({"a": [1, math.inf]}, r"the value at a\[1\] is inf"),
        ({1: "x"}, "the value has the key 1, and JSON keys are text"),
        ({"a": {1, 2}}, "the value at a is a set, which JSON cannot hold"),
        ("\ud800", "half of a surrogate pair"),
    ],
)
def test_what_json_cannot_hold_is_refused_with_a_sentence(value, sentence):
    with pytest.raises(CanonicalError, match=sentence):
        canonical_json(value)


def test_a_number_that_python_will_not_write_is_refused_with_a_sentence():
    with pytest.raises(CanonicalError, match="or a number too long"):
        canonical_json(10**5000)


def test_a_value_nested_without_end_is_refused_with_a_sentence():
    deep: list = []
    for _ in range(100_000):
        deep = [deep]

    with pytest.raises(CanonicalError, match="nested too deep"):
        canonical_json(deep)
