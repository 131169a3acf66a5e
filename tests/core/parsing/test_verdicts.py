import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.errors import SettingsError
from rubricstudio.core.parsing import (
    Judgement,
    Reply,
    answers_of,
    parse_choice,
    parse_judgement,
    score_of,
)
from rubricstudio.core.types import Criterion, Scale, UnscoredReason
from tests.core.parsing.injections import PLANTED

CRITERION = Criterion("c1", "It names the Moon.", 3)
REFERENCE = "c1:0a1b2c3d4e5f"
LEVELS = Criterion("c2", "How clear it is.", scale=Scale.LEVELS, levels=5)


def answer(**changes):
    fields = {"evidence": "the Moon", "id": REFERENCE, "reason": "named", "verdict": "no"}
    return json.dumps({**fields, **changes})


def judged(content, **reply):
    return parse_judgement(Reply(content, **reply), criterion=CRITERION, reference=REFERENCE)


def test_a_whole_object_is_a_verdict():
    parsed = judged(answer(verdict="part"))

    assert (parsed.value.answer, parsed.value.score, parsed.flags) == ("part", 0.5, ())


@pytest.mark.parametrize(
    "content",
    [
        "```json\n" + answer() + "\n```",
        "  ```\n" + answer() + "\n```  \n",
        "<think>\nyes?\n</think>\n" + answer(),
        "<think>a<think>b</think>c</think>" + answer(),
        "no opening mark, yes\n</think>\n\n" + answer(),
        "<THINKING effort='high'>x</THINKING>" + answer(),
        "[THINK]x[/THINK]" + answer(),
        "<|channel|>analysis<|message|>yes<|end|><|start|>assistant<|channel|>final<|message|>"
        + answer()
        + "<|return|>",
    ],
)
def test_fences_and_thinking_around_the_object_are_no_matter(content):
    parsed = judged(content)

    assert (parsed.value.answer, parsed.flags) == ("no", ())


def test_words_before_a_fenced_object_are_flagged():
    parsed = judged("Here it is:\n```json\n" + answer() + "\n```")

    assert (parsed.value.answer, parsed.flags) == ("no", ("prose_around",))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (answer() + " but really yes", UnscoredReason.AMBIGUOUS),
        (answer() + answer(verdict="yes"), UnscoredReason.AMBIGUOUS),
        ("```\n" + answer() + "\n```\n```\n" + answer() + "\n```", UnscoredReason.AMBIGUOUS),
        ("```\n" + answer() + "\n```\nSo: yes", UnscoredReason.AMBIGUOUS),
        (answer()[:-1] + ', "verdict": "yes"}', UnscoredReason.AMBIGUOUS),
        (answer(id="c2:0a1b2c3d4e5f"), UnscoredReason.AMBIGUOUS),
        (answer(id="c1"), UnscoredReason.AMBIGUOUS),
        (answer(id=None), UnscoredReason.AMBIGUOUS),
        ("The verdict is no.", UnscoredReason.UNPARSABLE),
        ("Well: " + answer(), UnscoredReason.UNPARSABLE),
        ("[" + answer() + "]", UnscoredReason.UNPARSABLE),
        ("```json\n[" + answer() + "]\n```", UnscoredReason.UNPARSABLE),
        (answer(confidence=1), UnscoredReason.UNPARSABLE),
        ('{"id": "' + REFERENCE + '"}', UnscoredReason.UNPARSABLE),
        (answer(verdict=["no"]), UnscoredReason.UNPARSABLE),
        (answer(verdict=True), UnscoredReason.UNPARSABLE),
        (answer(evidence=7), UnscoredReason.UNPARSABLE),
        (answer(verdict=float("nan")), UnscoredReason.UNPARSABLE),
        ("{" * 100_000, UnscoredReason.UNPARSABLE),
        ("{\r\r\r\r\r\r", UnscoredReason.UNPARSABLE),
        (answer(verdict="mostly"), UnscoredReason.OFF_SCALE),
        (answer(verdict="3"), UnscoredReason.OFF_SCALE),
        ("", UnscoredReason.EMPTY),
        (None, UnscoredReason.EMPTY),
        (" \n ", UnscoredReason.EMPTY),
        ("<think>I say yes", UnscoredReason.THINKING_ONLY),
        ("<think>I say yes</think>\n", UnscoredReason.THINKING_ONLY),
    ],
)
def test_an_unusable_answer_is_unscored_with_its_reason(content, reason):
    parsed = judged(content)

    assert (parsed.value, parsed.reason) == (None, reason)
    assert parsed.detail


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"finish_reason": "length"}, UnscoredReason.TRUNCATED),
        ({"finish_reason": "content_filter"}, UnscoredReason.CONTENT_FILTER),
        ({"refusal": "I would rather not."}, UnscoredReason.REFUSED),
    ],
)
def test_a_whole_object_counts_only_when_the_model_ended_it_itself(reply, reason):
    assert judged(answer(), **reply).reason == reason


def test_null_content_beside_reasoning_is_thinking_only():
    assert judged(None, reasoning="the verdict is yes").reason == UnscoredReason.THINKING_ONLY


def test_an_object_in_the_reasoning_field_is_not_read():
    assert judged(None, reasoning=answer(verdict="yes")).value is None


def test_a_verdict_without_evidence_is_flagged():
    parsed = judged(json.dumps({"id": REFERENCE, "verdict": "yes"}))

    assert (parsed.value.answer, parsed.flags) == ("yes", ("no_evidence",))


def test_case_and_space_are_adapted_and_flagged():
    parsed = judged(answer(verdict=" Yes "))

    assert (parsed.value.answer, parsed.flags) == ("yes", ("coerced",))


@pytest.mark.parametrize("planted", PLANTED)
def test_a_verdict_planted_in_the_evidence_does_not_flip_the_answer(planted):
    assert judged(answer(evidence=planted)).value.answer == "no"


@pytest.mark.parametrize("planted", PLANTED)
def test_a_verdict_planted_in_the_thinking_does_not_flip_the_answer(planted):
    assert judged(f"<think>It says {planted} here.</think>{answer()}").value.answer == "no"


@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_verdict_copied_as_the_answer_is_no_verdict(planted):
    assert judged(planted).value is None


@given(st.text())
def test_no_text_without_the_calls_id_is_a_verdict(content):
    assert judged(content).value is None


@given(st.text(), st.text())
def test_any_evidence_and_reason_leave_the_verdict_as_it_is(evidence, reason):
    assert judged(answer(evidence=evidence, reason=reason)).value.answer == "no"


@given(st.text(), st.sampled_from(["yes", "part", "no"]))
def test_thinking_never_changes_the_verdict(thought, verdict):
    content = f"<think>{thought}</think>{answer(verdict=verdict)}"

    assert judged(content).value.answer == verdict


@given(st.text(min_size=1).filter(str.strip))
def test_anything_after_the_object_leaves_no_verdict(rest):
    assert judged(answer() + " " + rest).value is None


def test_a_bare_word_is_a_verdict_in_the_mode_label():
    probabilities = (("yes", 0.7), ("part", 0.2), ("no", 0.1))

    parsed = parse_choice(Reply("yes", probabilities=probabilities), criterion=CRITERION)

    assert parsed.value == Judgement("yes", 1.0, probabilities=probabilities)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("yes and no", UnscoredReason.OFF_SCALE),
        ("suggests SUCCESS ... NOT SUCCESS", UnscoredReason.OFF_SCALE),
        ("CI", UnscoredReason.OFF_SCALE),
        ('{"verdict": "yes"}', UnscoredReason.OFF_SCALE),
        (None, UnscoredReason.EMPTY),
    ],
)
def test_more_than_the_word_is_no_verdict_in_the_mode_label(content, reason):
    assert parse_choice(Reply(content), criterion=CRITERION).reason == reason


def test_probabilities_of_other_answers_are_left_out():
    reply = Reply("yes", probabilities=(("yes", 0.7), ("no", 0.3)))

    assert parse_choice(reply, criterion=CRITERION).value == Judgement("yes", 1.0)


def test_a_level_may_come_as_a_number_and_is_spread_over_the_range():
    content = json.dumps({"evidence": "x", "id": REFERENCE, "verdict": 4})

    parsed = parse_judgement(Reply(content), criterion=LEVELS, reference=REFERENCE)

    # (4 - 1) / (5 - 1)
    assert parsed.value == Judgement("4", 0.75, evidence="x")


def test_a_level_beyond_the_last_is_off_the_scale():
    content = json.dumps({"evidence": "x", "id": REFERENCE, "verdict": 8})

    parsed = parse_judgement(Reply(content), criterion=LEVELS, reference=REFERENCE)

    assert parsed.reason == UnscoredReason.OFF_SCALE


def test_scores_fill_the_range_of_the_criterion():
    criterion = Criterion("c", "x", lo=-2, hi=4)

    # part is half of the way from -2 to 4
    assert [score_of(criterion, one) for one in ("yes", "part", "no")] == [4, 1, -2]


def test_part_is_no_answer_to_a_binary_criterion():
    criterion = Criterion("c", "x", scale=Scale.BINARY)

    assert answers_of(criterion) == ("yes", "no")
    with pytest.raises(SettingsError, match="does not answer"):
        score_of(criterion, "part")


def test_points_are_met_or_not():
    criterion = Criterion("c", "x", scale=Scale.POINTS)

    assert [score_of(criterion, one) for one in answers_of(criterion)] == [1, 0]


def test_scales_about_two_responses_have_no_answers_here():
    with pytest.raises(SettingsError, match="no judge of a single response"):
        answers_of(Criterion("c", "x", scale=Scale.PAIRWISE))
