"""The n-th line, sentence or word; every part; options, order, sources, repetition, patterns."""

import pytest

from rubricstudio.core.checkers import registry
from rubricstudio.core.checkers.segmentation import DocumentView
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import CheckCause, CheckResult, Constraint
from tests.core.checkers.checking import check, found, passes

POEM = "Tea is warm.\nEvery day I drink.\n\nAnd then I sleep."


@pytest.mark.parametrize(
    ("kind", "n", "relation", "text", "expected"),
    [
        ("nth_line", 1, "be", "Tea is warm.", True),
        ("nth_line", 1, "be", "tea is warm", True),
        ("nth_line", 1, "be", "Tea is", False),
        ("nth_line", 2, "begin_with", "Every", True),
        ("nth_line", -1, "contain", "then", True),
        ("nth_line", -1, "end_with", "sleep", True),
        ("nth_line", -1, "end_with", "sleep.", True),
        ("nth_line", 4, "contain", "x", False),
        ("nth_sentence", 2, "begin_with", "every day", True),
        ("nth_sentence", 3, "end_with", "I drink", False),
        ("nth_word", 3, "be", "warm", True),
        ("nth_word", -1, "be", "Sleep", True),
        ("nth_word", 3, "begin_with", "wa", False),
        ("nth_word", 99, "be", "x", False),
    ],
)
def test_a_text_stands_in_the_nth_part(kind, n, relation, text, expected):
    assert passes(kind, {"n": n, "relation": relation, "text": text}, POEM) is expected


def test_the_part_that_was_looked_at_is_shown():
    params = {"n": -1, "relation": "be", "text": "Bye."}

    outcome = check("nth_sentence", params, POEM)

    assert outcome.reason == 'sentence -1 is "And then I sleep.", is "Bye." asked'
    assert found(outcome, POEM) == ["And then I sleep."]


def test_a_part_that_was_cut_off_has_no_end():
    params = {"n": -1, "relation": "end_with", "text": "sleep."}

    assert passes("nth_line", params, POEM) is True
    assert check("nth_line", params, POEM, truncated=True).result is CheckResult.FAILED


def test_sentences_in_code_alone_cannot_be_told():
    params = {"n": 1, "relation": "contain", "text": "x"}

    assert passes("nth_sentence", params, "```\nx\n```") is None
    assert passes("different_starts", {"unit": "sentence"}, "```\nx\n```") is None


@pytest.mark.parametrize(
    ("params", "response", "reason"),
    [
        (
            {"unit": "sentence", "of": "word", "op": "le", "value": 3},
            "One two three. One two three four.",
            "sentence 2 has 4 words, at most 3 asked",
        ),
        (
            {"unit": "paragraph", "of": "sentence", "op": "eq", "value": 2},
            "A b. C d.\n\nE f.",
            "paragraph 2 has 1 sentence, exactly 2 asked",
        ),
        (
            {"unit": "line", "of": "character", "op": "le", "value": 3},
            "abc\nabcd",
            "line 2 has 4 characters, at most 3 asked",
        ),
        (
            {"unit": "item", "of": "word", "op": "eq", "value": 2},
            "- one two\n- one two three",
            "list item 2 has 3 words, exactly 2 asked",
        ),
        (
            {"unit": "item", "of": "word", "op": "eq", "value": 2},
            "no list",
            "it has no list items",
        ),
        (
            {"unit": "item", "of": "word", "op": "eq", "value": 2},
            "1. one two\n2) one two",
            "all of 2 list items as asked",
        ),
    ],
)
def test_every_part_has_a_length(params, response, reason):
    assert check("each_part_count", params, response).reason == reason


@pytest.mark.parametrize(
    ("unit", "relation", "text", "response", "expected"),
    [
        ("paragraph", "begin_with", "We", "We go.\n\nWe stay.", True),
        ("paragraph", "begin_with", "We", "We go.\n\nThey stay.", False),
        ("sentence", "contain", "tea", "Tea is good. I like tea!", True),
        ("sentence", "end_with", "tea", "I like tea! I want tea.", True),
        ("line", "end_with", ";", "a;\nb;", True),
        ("item", "begin_with", "Buy", "- Buy tea\n- Sell milk", False),
    ],
)
def test_every_part_has_a_text(unit, relation, text, response, expected):
    params = {"unit": unit, "relation": relation, "text": text}

    assert passes("each_part_text", params, response) is expected


@pytest.mark.parametrize(
    ("word", "unit", "response", "expected"),
    [
        ("tea", "line", POEM, True),
        ("TEA", "sentence", POEM, True),
        ("te", "line", POEM, False),
        ("tea", "item", "- Tell\n- Every\n- All", True),
        ("tea", "line", "“Tell”\n*Every*\n...all", True),
    ],
)
def test_first_letters_spell_a_word(word, unit, response, expected):
    assert passes("acrostic", {"word": word, "unit": unit}, response) is expected


def test_no_two_parts_begin_with_the_same_word():
    response = "I go. You stay. I come."

    assert passes("different_starts", {"unit": "sentence"}, response) is False
    assert passes("different_starts", {"unit": "sentence", "neighbours": True}, response) is True
    assert passes("different_starts", {"unit": "sentence"}, "I go. You stay.") is True


@pytest.mark.parametrize(
    ("params", "response", "expected"),
    [
        ({}, "My answer is yes.", True),
        ({}, "My answer is no.", True),
        ({}, "My answer is yes. Or: my answer is no.", False),
        ({}, "Maybe.", False),
        ({"alone": True}, "**My answer is yes.**", True),
        ({"alone": True}, "Well, my answer is yes.", False),
    ],
)
def test_exactly_one_option_is_answered(params, response, expected):
    options = ["My answer is yes", "My answer is no"]

    assert passes("choice_among", {"options": options, **params}, response) is expected


def test_an_option_inside_a_longer_one_is_not_an_answer_of_its_own():
    options = ["agree", "strongly agree"]

    assert passes("choice_among", {"options": options}, "I strongly agree.") is True
    assert passes("choice_among", {"options": options}, "I agree.") is True
    assert passes("choice_among", {"options": options}, "I agree, strongly agree.") is False


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("Write about tea.\n\nTea is good.", True),
        ("write about   tea. Tea is good.", True),
        ("Write about tea.", False),
        ("Tea is good. Write about tea.", False),
    ],
)
def test_the_prompt_is_repeated_and_then_answered(response, expected):
    assert passes("repeat_prompt", {"text": "Write about tea."}, response) is expected


@pytest.mark.parametrize(
    ("response", "expected"),
    [("tea, then milk", True), ("milk, then tea", False), ("tea alone", False)],
)
def test_phrases_come_in_order(response, expected):
    assert passes("phrase_order", {"phrases": ["tea", "milk"]}, response) is expected


@pytest.mark.parametrize(
    ("params", "response", "expected"),
    [
        ({}, "Tea warms people [1].", True),
        ({}, "Tea warms people [1, 3] and [2-3].", True),
        ({}, "Tea warms people [4].", False),
        ({}, "Tea warms people [0].", False),
        ({}, "Tea warms people [2-4].", False),
        ({}, "Tea warms people.", False),
        ({}, "Tea [link](a.b) warms [x].", False),
        ({}, "茶很好【2】。", True),
        ({"each_sentence": True}, "Tea warms many people [1]. Milk cools many people.", False),
        ({"each_sentence": True}, "Tea warms many people [1]. Milk cools people too.[2]", True),
        ({"each_sentence": True}, "Hello there! Tea warms many people [1]. Do you like it?", True),
        ({"each_sentence": True}, "The tea does three things:\n\n- it warms people [1]", True),
    ],
)
def test_sources_are_cited_by_their_numbers(params, response, expected):
    assert passes("citations", {"sources": 3, **params}, response) is expected


def test_the_sentence_without_a_citation_is_named():
    response = "Tea warms many people [1]. Milk cools many people."

    outcome = check("citations", {"sources": 1, "each_sentence": True}, response)

    assert outcome.reason == (
        '1 factual sentence without a citation, the first is "Milk cools many people."'
    )


@pytest.mark.parametrize(
    ("params", "response", "expected"),
    [
        ({}, "each of these words stands here only one single time", True),
        ({}, "I am a fish. " * 40, False),
        ({"unit": "lines", "most": 0}, "a\nb\nc", True),
        ({"unit": "lines", "most": 0}, "a\nb\nA", False),
        ({"unit": "sentences", "most": 0.5}, "I go. I go. I stay. I stay.", True),
        ({"unit": "sentences", "most": 0.4}, "I go. I go. I stay. I stay.", False),
        ({"n": 1, "most": 0.0}, "one word", True),
        ({}, "short", True),
    ],
)
def test_a_response_does_not_repeat_itself(params, response, expected):
    assert passes("repeated_share", params, response) is expected


def test_the_piece_that_repeats_most_is_named():
    outcome = check("repeated_share", {"unit": "lines", "most": 0.1}, "go\nstay\ngo\ngo")

    assert outcome.reason == '50% of 4 lines said before, at most 10% asked; "go" stands 3 times'


@pytest.mark.parametrize(
    ("params", "response", "expected"),
    [
        ({"pattern": r"\d{4}-\d\d-\d\d"}, "on 2024-05-06", True),
        ({"pattern": r"\d{4}-\d\d-\d\d"}, "on 6 May", False),
        ({"pattern": "tea", "where": "whole"}, "tea", True),
        ({"pattern": "tea", "where": "whole"}, "tea!", False),
        ({"pattern": "TEA", "ignore_case": True}, "tea", True),
        ({"pattern": r"^- "}, "a\n- b", True),
        ({"pattern": r"\p{Han}+"}, "茶", True),
        ({"pattern": "caf\u0065\u0301"}, "café", True),
    ],
)
def test_a_pattern_matches_or_does_not(params, response, expected):
    assert passes("matches_pattern", params, response) is expected
    assert passes("not_matches_pattern", params, response) is not expected


def test_what_a_pattern_matches_is_shown():
    response = "from 10 to 20"

    outcome = check("not_matches_pattern", {"pattern": r"\d+"}, response)

    assert outcome.reason == 'the pattern "\\d+" matches 2 times'
    assert found(outcome, response) == ["10", "20"]


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("(", "cannot be read"),
        ("x" * 501, "500 are the most"),
        (r"(x+x+)+y", "takes more than"),
        (r"^(([a-z])+.)+[A-Z]([a-z])+$", "takes more than"),
        (r"(.*a){12}b", "takes more than"),
        ("a{100001}", "repeats more than 100,000 times"),
        ("((a{90}){,90}){90,}", "repeats more than 100,000 times"),
    ],
)
def test_a_pattern_that_explodes_is_refused_with_a_reason(pattern, told):
    with pytest.raises(ConstraintError, match=told):
        registry.normalised(Constraint("matches_pattern", {"pattern": pattern}))


def test_a_pattern_that_turns_out_slow_gives_no_answer(monkeypatch):
    monkeypatch.setattr("rubricstudio.core.checkers.patterns._provoking", lambda _: iter(()))
    pattern = r"(z+z+)+y"
    checker = registry.compile_checker(Constraint("matches_pattern", {"pattern": pattern}))

    outcome = checker.check(DocumentView("z" * 2_000))

    assert (outcome.result, outcome.cause) == (CheckResult.UNAVAILABLE, CheckCause.ABSTAINED)
    assert "takes too long" in outcome.reason


@pytest.mark.parametrize(
    ("kind", "params", "told"),
    [
        ("choice_among", {"options": ["yes"]}, "2 different options"),
        ("choice_among", {"options": ["yes", "Yes "]}, "2 different options"),
        ("phrase_order", {"phrases": ["tea"]}, "2 phrases at least"),
        ("acrostic", {"word": "123", "unit": "line"}, "no letters"),
        ("citations", {"sources": 0}, "nothing can be cited"),
        ("repeated_share", {"n": 0}, "1 to 100 words"),
        ("repeated_share", {"n": 10**7}, "1 to 100 words"),
        ("repeated_share", {"most": 1.5}, "share from 0"),
        ("nth_line", {"n": 0, "relation": "be", "text": "x"}, "1 for the first"),
        ("nth_word", {"n": 1, "relation": "rhyme", "text": "x"}, "one of begin_with"),
        (
            "each_part_count",
            {"unit": "sentence", "of": "sentence", "op": "eq", "value": 1},
            "a sentence has one sentence",
        ),
        ("language", {"language": "tlh"}, "one of en, zh"),
        ("language", {"language": "en", "among": ["xx"]}, "no language that can be told"),
    ],
)
def test_parameters_that_cannot_be_are_refused_with_a_reason(kind, params, told):
    with pytest.raises(ConstraintError, match=told):
        registry.normalised(Constraint(kind, params))
