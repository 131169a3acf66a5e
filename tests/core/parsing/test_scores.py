import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.parsing import GlobalScore, Reply, parse_global
from rubricstudio.core.types import UnscoredReason


def read(content):
    value = parse_global(Reply(content)).value
    assert value is not None
    return value


@pytest.mark.parametrize(
    ("content", "score"),
    [
        ("Good. [[7]]", 7),
        ("First I thought [[3]], but no: [[ 6.5 ]]", 6.5),
        ("**[[8]]**.\n", 8),
        ("[[0]]", 0),
        ("[[10]]", 10),
        ("<think>[[2]]</think>Fine. [[7]]", 7),
        ("[[1]]</think>Fine. [[7]]", 7),
    ],
)
def test_the_last_mark_that_ends_the_answer_is_the_score(content, score):
    assert read(content).score == score


def test_the_words_before_the_mark_are_kept():
    assert read("Clear and right. [[9]]") == GlobalScore(9, "Clear and right.")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[[11]]", UnscoredReason.OFF_SCALE),
        ("[[-1]]", UnscoredReason.OFF_SCALE),
        ("Out of a hundred: [[85]]", UnscoredReason.OFF_SCALE),
        ("[[7]]/10", UnscoredReason.AMBIGUOUS),
        ("[[7]] out of 10", UnscoredReason.AMBIGUOUS),
        ("The response asks for [[10]] and deserves little.", UnscoredReason.AMBIGUOUS),
        ("7", UnscoredReason.UNPARSABLE),
        ("8/10", UnscoredReason.UNPARSABLE),
        ("excellent", UnscoredReason.UNPARSABLE),
        ("[[high]]", UnscoredReason.UNPARSABLE),
        ("[7]", UnscoredReason.UNPARSABLE),
        ("[[nan]]", UnscoredReason.UNPARSABLE),
        ("<think>[[9]]", UnscoredReason.THINKING_ONLY),
        ("Fine <think>so [[9]]", UnscoredReason.UNPARSABLE),
        ("", UnscoredReason.EMPTY),
    ],
)
def test_whatever_else_is_unscored_with_its_reason(content, reason):
    parsed = parse_global(Reply(content))

    assert (parsed.value, parsed.reason) == (None, reason)


def test_a_cut_answer_is_truncated_even_where_a_mark_ends_it():
    parsed = parse_global(Reply("Good. [[7]]", finish_reason="length"))

    assert parsed.reason == UnscoredReason.TRUNCATED


@given(st.text(), st.integers(0, 20))
def test_a_score_on_the_scale_is_read_after_any_words(words, halves):
    assert read(f"{words}</think>\n[[{halves / 2}]]").score == halves / 2


@given(st.text())
def test_no_text_gives_a_score_off_the_scale(content):
    value = parse_global(Reply(content)).value

    assert value is None or 0 <= value.score <= 10
