"""What is said of generated checkers without running any: names, records, quarantine."""

import pytest

from rubricstudio.core.checkers.generated import (
    Record,
    code_of,
    code_path,
    code_sha256,
    quarantined,
    record_of,
    wanted_constraint,
    with_code,
)
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import CheckCause, CheckOutcome, CheckResult, Constraint

CODE = "def check_following(instruction, response):\n    return True\n"


def test_a_constraint_is_bound_to_its_code() -> None:
    wanted = wanted_constraint("every  line\nrhymes", evidence="all lines rhyme")
    bound, other = with_code(wanted, CODE), with_code(wanted, CODE + "\n")

    assert wanted.params == {"requirement": "every line rhymes"}
    assert code_of(wanted) is None
    assert code_of(bound) == code_sha256(CODE)
    assert bound.content_hash() != other.content_hash()
    assert with_code(bound, CODE) == bound
    assert code_path(code_sha256(CODE)).startswith("checkers/")


def test_a_refused_constraint_stays_named_in_what_waits_for_code() -> None:
    asked = Constraint("words:alphabet", {"n": 3})

    assert wanted_constraint("in order", asked=asked).params["asked"] == {
        "type": "words:alphabet",
        "params": {"n": 3},
    }


def test_a_constraint_of_another_type_has_no_code() -> None:
    assert code_of(Constraint("contain", {"code_sha256": "a" * 64})) is None


def test_a_requirement_without_words_is_refused() -> None:
    with pytest.raises(ConstraintError, match="needs the requirement in words"):
        wanted_constraint(" \n")


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (Record(), ""),
        (Record(passed=10, hard=2, errors=2), ""),
        (Record(passed=10, hard=3, errors=3), "crashed 3 times"),
        (Record(passed=197, errors=2), ""),
        (Record(passed=196, errors=3), ""),
        (Record(passed=198, errors=2), ""),
        (Record(passed=197, errors=3), "it failed to answer 3 of 200 times"),
        (Record(passed=990, errors=10), ""),
        (Record(passed=989, errors=11), "it failed to answer 11 of 1,000 times"),
    ],
)
def test_quarantine_after_three_hard_failures_or_one_error_in_a_hundred(
    record: Record, told: str
) -> None:
    assert told in record.quarantine
    assert bool(record.quarantine) is bool(told)


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (Record(passed=499), ""),
        (Record(passed=500), "it said yes to all 500 responses"),
        (Record(failed=1200), "it said no to all 1,200 responses"),
        (Record(passed=499, failed=1), ""),
        (Record(passed=499, errors=1), ""),
    ],
)
def test_a_verdict_that_never_changes_is_flagged_after_500(record: Record, told: str) -> None:
    assert record.constant == told


def test_a_record_counts_what_outcomes_say_of_the_checker() -> None:
    outcomes = [
        CheckOutcome(CheckResult.PASSED, CheckCause.OK, ""),
        CheckOutcome(CheckResult.FAILED, CheckCause.OK, ""),
        CheckOutcome(CheckResult.FAILED, CheckCause.OK, ""),
        CheckOutcome(CheckResult.UNAVAILABLE, CheckCause.EXCEPTION, ""),
        CheckOutcome(CheckResult.UNAVAILABLE, CheckCause.TIMEOUT, ""),
        quarantined("it crashed 3 times"),
    ]

    assert record_of(outcomes) == Record(passed=1, failed=2, errors=2, hard=1)
