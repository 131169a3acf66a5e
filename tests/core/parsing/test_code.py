"""The code that a model writes is read whole, or not at all; nothing here runs it."""

import json

import pytest

from rubricstudio.core.checkers.generated import Example
from rubricstudio.core.parsing import CodeDraft, Reply, parse_code

CODE = "def check_following(instruction, response):\n    return True\n"


def parsed(**fields):
    said = {"id": "code:1", "code": CODE, "tests": [], **fields}
    return parse_code(Reply(json.dumps(said)), reference="code:1")


def test_a_source_comes_with_its_examples():
    tests = [{"response": "a", "expected": True}, {"response": "", "expected": False}]

    draft = parsed(tests=tests).value

    assert draft == CodeDraft(CODE, (Example("a", True), Example("", False)))


def test_null_says_that_no_program_can_decide():
    assert parsed(code=None).value == CodeDraft(None)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"code": " "}, "no source"),
        ({"code": 3}, "no source"),
        ({"tests": {}}, "no list"),
        ({"tests": [{"response": "a", "expected": "yes"}]}, "no response with true or false"),
        ({"tests": [{"response": "a"}]}, "no response with true or false"),
        ({"tests": [{"response": "a", "expected": True, "why": ""}]}, "no response with"),
        ({"id": "code:2"}, "code:2"),
        ({"more": 1}, "more"),
    ],
)
def test_anything_else_cannot_be_used_and_says_why(fields, told):
    found = parsed(**fields)

    assert found.value is None
    assert told in found.detail
