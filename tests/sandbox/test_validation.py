"""A generated checker counts only after it held on examples, mutants and two hash seeds."""

from collections.abc import Iterator

import pytest

from rubricstudio.core.checkers.generated import Example
from rubricstudio.core.checkers.segmentation import DocumentView
from rubricstudio.core.types import CheckCause, CheckResult, Constraint
from rubricstudio.sandbox.checking import check_generated
from rubricstudio.sandbox.jail import Jail
from rubricstudio.sandbox.validation import LARGE, Validation, mutants, validate

THREE_WORDS = """
def check_following(instruction, response):
    return len(response.split()) == 3
"""
EXAMPLES = (Example("one two three", True), Example("one two", False))


def validated(code: str, examples: tuple[Example, ...] = EXAMPLES) -> Validation:
    return validate(code, instruction="Answer in three words.", examples=examples)


def checker(body: str) -> str:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"def check_following(instruction, response):\n{lines}\n"


def test_an_honest_checker_passes_with_a_log_of_all_that_was_tried() -> None:
    found = validated(THREE_WORDS)

    assert found.passed, found.problems
    assert len(found.rows) == len(EXAMPLES) + 6
    assert [row.said for row in found.rows[:2]] == [(True, True), (False, False)]
    assert found.as_dict()["interpreter"].startswith("cpython-3.")


def test_the_mutants_are_made_by_rule() -> None:
    made = dict(mutants("First.\nStill first.\n\nSecond."))

    assert made["without its last paragraph"] == "First.\nStill first."
    assert made["with one sentence more"].startswith("First.\nStill first.\n\nSecond. And")
    assert made["empty"] == ""
    assert LARGE <= len(made["of 100 kB"]) < LARGE + 100
    assert "回答" in made["in Chinese"]
    assert made["with CRLF"] == "First.\r\nStill first.\r\n\r\nSecond."


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (checker("return True"), "it said yes, and no was expected"),
        (checker("return len(response.split()) > 2"), ""),
        (checker("return 1"), "it returned int, not True or False"),
        (checker("return response[0] == 'o' and len(response) > 9"), "IndexError"),
        (
            checker("return hash(response) % 2 == 0"),
            "it said yes in one run and no in another",
        ),
        ("import os\n" + THREE_WORDS, "the module os cannot be imported"),
        ("def check_following(instruction, response)\n", "cannot be compiled"),
        (checker("n = 1\nwhile n:\n    n += 1\nreturn True"), "(timeout)"),
    ],
    ids=[
        "constant",
        "honest",
        "no bool",
        "empty response",
        "order of sets",
        "gate",
        "no Python",
        "endless",
    ],
)
def test_what_is_wrong_is_said_in_words_that_can_be_fed_back(code: str, problem: str) -> None:
    found = validated(code)

    assert problem in "; ".join(found.problems)
    assert found.passed is (problem == "")


def test_a_checker_that_takes_long_is_sent_back(monkeypatch: pytest.MonkeyPatch) -> None:
    # Far below the limit on the clock, which a busy machine makes short.
    monkeypatch.setattr("rubricstudio.sandbox.validation.SLOWEST", 0.005)
    slow = checker("return len(response.split()) == 3 and sum(range(10**6)) > 0")

    assert "ms, and 5 are allowed" in "; ".join(validated(slow).problems)


@pytest.mark.parametrize(("left", "kind"), [(EXAMPLES[:1], "fails"), (EXAMPLES[1:], "passes")])
def test_one_example_of_each_kind_is_needed(left: tuple[Example, ...], kind: str) -> None:
    assert f"there is no example that {kind}" in "; ".join(validated(THREE_WORDS, left).problems)


def test_without_any_example_nothing_counts() -> None:
    assert not validated(THREE_WORDS, ()).passed


def test_code_for_a_known_type_must_agree_with_that_type() -> None:
    native = Constraint("word_count", {"op": "eq", "value": 3})
    hyphens = (Example("one two three", True), Example("a b c d", False))
    # Both examples agree, the sentence that is added does not: it has six words.
    lax = checker("return len(response.split()) in (3, 9)")

    agreed = validate(THREE_WORDS, instruction="", examples=hyphens, native=native)
    differs = validate(lax, instruction="", examples=hyphens, native=native)

    assert agreed.passed, agreed.problems
    assert "the type word_count says no" in "; ".join(differs.problems)


@pytest.fixture
def jail() -> Iterator[Jail]:
    made = Jail()
    yield made
    made.close()


def test_checkers_are_given_the_response_as_it_is_counted(jail: Jail) -> None:
    exact = checker("return response == 'one\\ntwo'")
    views = [DocumentView("\n\none\r\ntwo\n \n"), DocumentView("<think>x</think>one\ntwo")]

    (outcomes,) = check_generated(jail, [exact], "", views)

    assert [one.result for one in outcomes] == [CheckResult.PASSED] * 2


def test_an_empty_response_fails_every_checker(jail: Jail) -> None:
    views = [DocumentView(" \n"), DocumentView("text")]

    (outcomes,) = check_generated(jail, [checker("return not response")], "", views)

    assert [one.result for one in outcomes] == [CheckResult.FAILED] * 2
    assert outcomes[0].reason == "the response is empty"


def test_a_checker_that_was_late_once_is_asked_again(
    jail: Jail, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    real = jail.check

    def busy_at_first(codes, instruction, responses):
        asked.append(len(responses))
        late = checker("n = response == 'b'\nwhile n:\n    pass\nreturn True")
        return real([late] if len(asked) == 1 else codes, instruction, responses)

    monkeypatch.setattr(jail, "check", busy_at_first)
    views = [DocumentView(one) for one in "abc"]

    (outcomes,) = check_generated(jail, [checker("return response == 'b'")], "", views)

    assert asked == [3, 1]
    assert [one.result for one in outcomes] == [CheckResult.PASSED] * 3


def test_a_checker_that_is_always_late_is_unavailable(jail: Jail) -> None:
    endless = checker("while response:\n    instruction += 'a'\nreturn True")

    ((outcome,),) = check_generated(jail, [endless], "", [DocumentView("a")])

    assert (outcome.result, outcome.cause) == (CheckResult.UNAVAILABLE, CheckCause.TIMEOUT)
