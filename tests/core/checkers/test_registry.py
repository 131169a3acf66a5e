import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.checkers import ifeval, registry
from rubricstudio.core.checkers.segmentation import REVISION, DocumentView
from rubricstudio.core.checkers.studio_types import TABLE_14
from rubricstudio.core.errors import ConstraintError, RefusedConstraint
from rubricstudio.core.types import (
    IFEVAL,
    CheckCause,
    CheckOutcome,
    CheckResult,
    Constraint,
    Json,
)
from tests.core.checkers.checking import EVERY_TYPE, check


def test_every_type_of_the_registry_is_checked_here():
    assert [constraint.type for constraint in EVERY_TYPE] == list(registry.TYPES)


def test_the_eleven_types_of_the_paper_come_first():
    assert list(registry.TYPES.values())[:11] == list(TABLE_14)
    assert len(TABLE_14) == 11


@pytest.mark.parametrize("constraint", EVERY_TYPE, ids=lambda one: one.type)
@pytest.mark.parametrize("response", ["", " \n\t ", "<think>Hm.</think>"])
def test_an_empty_response_fails_every_checker(constraint, response):
    outcome = registry.compile_checker(constraint).check(DocumentView(response))

    assert (outcome.result, outcome.reason) == (CheckResult.FAILED, "the response is empty")


@pytest.mark.parametrize("constraint", EVERY_TYPE, ids=lambda one: one.type)
def test_a_constraint_with_its_defaults_written_out_is_the_same_constraint(constraint):
    complete = registry.normalised(constraint)

    assert registry.normalised(complete) == complete
    assert set(complete.options) == set(registry.TYPES[constraint.type].options)


@given(st.sampled_from(EVERY_TYPE), st.text())
def test_every_checker_answers_every_text_the_same_way_twice(constraint, response):
    checker = registry.compile_checker(constraint)

    first = checker.check(DocumentView(response))

    assert checker.check(DocumentView(response)) == first
    assert first.reason
    assert "\n" not in first.reason


@given(st.sampled_from(EVERY_TYPE), st.text(st.sampled_from("Dear tea\r\n \u0301Yours")))
def test_every_span_lies_inside_the_raw_response(constraint, response):
    outcome = registry.compile_checker(constraint).check(DocumentView(response))

    assert all(0 <= start <= end <= len(response) for start, end in outcome.spans)


def test_a_type_that_is_not_checked_is_refused_by_name():
    with pytest.raises(
        RefusedConstraint, match="rhyme_scheme is not a checked constraint type"
    ) as e:
        registry.normalised(Constraint("rhyme_scheme", {"scheme": "abab"}))

    assert (e.value.type, e.value.dialect) == ("rhyme_scheme", "studio/1")


def test_the_dialect_chooses_the_table_of_types():
    params: dict[str, Json] = {"op": "le", "value": 9}
    instruction = Constraint("punctuation:no_comma", dialect=IFEVAL)

    assert registry.refusal(Constraint("word_count", params)) is None
    assert registry.refusal(Constraint("word_count", params, dialect=IFEVAL)) is not None
    assert registry.refusal(instruction) is None
    assert registry.refusal(dataclasses.replace(instruction, dialect="studio/1")) is not None


def test_constraints_of_both_dialects_are_checked_on_one_view():
    # One word in one dialect, two in the other.
    studio = Constraint("word_count", {"op": "eq", "value": 1})
    words: dict[str, Json] = {"num_words": 2, "relation": "at least"}
    published = Constraint("length_constraints:number_words", words, dialect=IFEVAL)

    outcomes = registry.check_all([studio, published], DocumentView("don't"))

    assert [one.result for one in outcomes] == [CheckResult.PASSED, CheckResult.PASSED]


def test_the_version_names_the_revision_of_every_dialect():
    expected = f"studio/1.{REVISION} ifeval/1.{ifeval.REVISION}"

    assert expected == registry.REGISTRY_VERSION


def test_a_refused_constraint_is_unavailable_and_the_rest_is_checked():
    constraints = [Constraint("json"), Constraint("word_count", {"op": "le"}), EVERY_TYPE[0]]

    outcomes = registry.check_all(constraints, DocumentView("tea"))

    assert [(one.result, one.cause) for one in outcomes] == [
        (CheckResult.UNAVAILABLE, CheckCause.REFUSED),
        (CheckResult.UNAVAILABLE, CheckCause.REFUSED),
        (CheckResult.PASSED, CheckCause.OK),
    ]


@pytest.mark.parametrize(
    ("kind", "params", "sentence"),
    [
        ("contain", {}, "contain needs phrases: the words or phrases"),
        ("contain", {"phrases": []}, r"the phrases \[\]; it has to be a list with at least one"),
        ("contain", {"phrases": "tea"}, "it has to be a list"),
        ("contain", {"phrases": [" "]}, "it has to be text that is not blank"),
        ("contain", {"phrases": [1]}, "it has to be text that is not blank"),
        ("contain", {"phrases": ["x"] * 201}, "it may have 200 texts at most"),
        ("contain", {"phrases": ["x"], "min_count": 0}, "at least 0 times is always so"),
        ("contain", {"phrases": ["x"], "max_count": 0}, "at least 1 and at most 0 times cannot"),
        ("contain", {"phrases": ["x"], "match": "fuzzy"}, "one of word, substring, exact"),
        ("begin_with", {"text": "x" * 20_001}, "it may have 20,000 characters at most"),
        ("word_count", {"op": "le", "value": 9, "colour": 1}, "word_count takes no 'colour'"),
        ("word_count", {"op": "about", "value": 9}, "it has to be one of eq, ne, lt"),
        ("word_count", {"op": "le", "value": "9"}, "it has to be a whole number from 0"),
        ("word_count", {"op": "le", "value": True}, "it has to be a whole number from 0"),
        ("word_count", {"op": "le", "value": 9.5}, "it has to be a whole number from 0"),
        ("word_count", {"op": "le", "value": float("inf")}, "it has to be a whole number"),
        ("word_count", {"op": "le", "value": -1}, "it has to be a whole number from 0"),
        ("word_count", {"op": "lt", "value": 0}, "word_count cannot be: fewer than 0"),
        ("word_count", {"op": "between", "value": 9}, "a high number goes with the operator"),
        ("word_count", {"op": "le", "value": 9, "high": 10}, "a high number goes with"),
        ("word_count", {"op": "between", "value": 9, "high": 8}, "between 9 and 8 nothing lies"),
        ("word_count", {"op": "approx", "value": 9, "tolerance": 1}, "a share from 0 to below 1"),
        ("word_count", {"op": "le", "value": 9, "tolerance": 0.2}, "a tolerance goes with"),
        ("paragraph_count", {"op": "eq", "value": 2, "divider": ""}, "it has to be text"),
        ("nth_paragraph_contain", {"n": 0, "text": "x"}, "1 for the first, 2 for the second"),
    ],
)
def test_wrong_parameters_are_refused_with_a_sentence(kind, params, sentence):
    with pytest.raises(ConstraintError, match=sentence):
        registry.normalised(Constraint(kind, params))


def test_a_wrong_option_is_refused_with_a_sentence():
    constraint = Constraint("paragraph_count", {"op": "eq", "value": 2}, {"headings": "yes"})

    with pytest.raises(ConstraintError, match=r"paragraph_count \(options\) has the headings"):
        registry.normalised(constraint)


def test_the_tolerance_of_approx_is_stored_with_the_constraint():
    asked = registry.normalised(Constraint("word_count", {"op": "approx", "value": 200}))

    assert asked.params == {"op": "approx", "value": 200, "tolerance": 0.1}


def test_a_whole_number_may_be_written_with_a_point():
    asked = registry.normalised(Constraint("word_count", {"op": "le", "value": 9.0}))

    assert asked.params["value"] == 9


def test_every_type_tells_its_parameters_as_a_json_schema():
    schema = registry.TYPES["word_count"].json_schema()

    assert schema["required"] == ["op", "value"]
    assert schema["properties"]["op"]["enum"][:2] == ["eq", "ne"]
    assert all(one["description"] for one in schema["properties"].values())


@pytest.mark.parametrize(
    ("operator", "more", "allowed", "asked"),
    [
        ("eq", {}, {10}, "exactly 10 asked"),
        ("ne", {}, {7, 8, 9, 11, 12, 13}, "any number but 10 asked"),
        ("lt", {}, {7, 8, 9}, "fewer than 10 asked"),
        ("le", {}, {7, 8, 9, 10}, "at most 10 asked"),
        ("gt", {}, {11, 12, 13}, "more than 10 asked"),
        ("ge", {}, {10, 11, 12, 13}, "at least 10 asked"),
        ("between", {"high": 12}, {10, 11, 12}, "10 to 12 asked"),
        ("approx", {}, {9, 10, 11}, "about 10 asked (9 to 11)"),
        ("approx", {"tolerance": 0.25}, {8, 9, 10, 11, 12}, "about 10 asked (8 to 12)"),
    ],
)
def test_a_count_is_compared_as_asked(operator, more, allowed, asked):
    params = {"op": operator, "value": 10, **more}

    outcomes = {n: check("word_count", params, "word " * n) for n in range(7, 14)}

    assert {n for n, one in outcomes.items() if one.result == "passed"} == allowed
    assert outcomes[7].reason == f"7 words, {asked}"


def test_one_is_told_in_the_singular_and_thousands_with_a_comma():
    at_most = {"op": "le", "value": 1000}

    assert check("word_count", at_most, "word").reason == "1 word, at most 1,000 asked"


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({}, 5),
        ({"cjk": "runs"}, 4),
        ({"scope": "outside_code"}, 4),
        ({"scope": "prose"}, 3),
        ({"markdown": "rendered"}, 4),
    ],
)
def test_words_are_counted_under_the_options(options, count):
    # Words: un, able, 你, 好 are 2 + 2 in "un**able** 你好"; code and address are one each.
    response = {"markdown": "un**able** 你好 x"}.get(
        next(iter(options), ""), "one 你好 `code` https://e.org"
    )

    outcome = check("word_count", {"op": "eq", "value": count}, response, **options)

    assert (outcome.result, outcome.reason[:2]) == ("passed", f"{count} ")


def test_blank_lines_count_only_when_asked():
    params = {"op": "eq", "value": 3}

    assert check("line_count", params, "a\n\nb", blank_lines=True).result == "passed"
    assert check("line_count", params, "a\n\nb").reason == "2 lines, exactly 3 asked"


def test_paragraphs_can_be_counted_outside_code():
    params = {"op": "eq", "value": 2}

    outcome = check("paragraph_count", params, "a\n\n```\nx\n```\n\nb", scope="outside_code")

    assert outcome.result == "passed"


def test_counting_sentences_of_nothing_but_code_has_no_answer():
    outcome = check("sentence_count", {"op": "ge", "value": 1}, "```\nx\n```")

    assert outcome == CheckOutcome(
        CheckResult.UNAVAILABLE,
        CheckCause.ABSTAINED,
        "nothing but code and tables, so no sentences can be counted",
    )


def test_sentences_are_counted():
    outcome = check("sentence_count", {"op": "between", "value": 3, "high": 5}, "A. b c. D! E?")

    assert (outcome.result, outcome.reason) == ("passed", "3 sentences, 3 to 5 asked")


@pytest.mark.parametrize(
    ("params", "response", "result", "reason"),
    [
        ({"phrases": ["tea"]}, "Green tea.", "passed", '"tea" found 1 time, at least 1 asked'),
        ({"phrases": ["tea"]}, "Teapot.", "failed", '"tea" found 0 times, at least 1 asked'),
        (
            {"phrases": ["tea", "milk"]},
            "Tea, milk.",
            "passed",
            "all of 2 phrases as asked: at least 1 asked",
        ),
        ({"phrases": ["tea", "milk"]}, "Tea.", "failed", '"milk" found 0 times, at least 1 asked'),
        (
            {"phrases": ["tea", "milk"], "require": "any"},
            "Milk.",
            "passed",
            '"milk" found 1 time, at least 1 asked',
        ),
        (
            {"phrases": ["tea", "milk"], "require": "any"},
            "Water.",
            "failed",
            "none of 2 phrases as asked: at least 1 asked",
        ),
        (
            {"phrases": ["tea"], "min_count": 2, "max_count": 2},
            "Tea or tea or tea.",
            "failed",
            '"tea" found 3 times, exactly 2 asked',
        ),
        (
            {"phrases": ["tea"], "min_count": 0, "max_count": 2},
            "Water.",
            "passed",
            '"tea" found 0 times, at most 2 asked',
        ),
        (
            {"phrases": ["tea"], "min_count": 1, "max_count": 2},
            "Tea.",
            "passed",
            '"tea" found 1 time, 1 to 2 asked',
        ),
    ],
)
def test_phrases_are_contained_as_often_as_asked(params, response, result, reason):
    outcome = check("contain", params, response)

    assert (outcome.result, outcome.reason) == (result, reason)


@pytest.mark.parametrize(
    ("params", "response", "result", "reason"),
    [
        ({"phrases": ["bad"]}, "A badge.", "passed", '"bad" not found'),
        ({"phrases": ["bad", "sad"]}, "A badge.", "passed", "all 2 phrases not found"),
        ({"phrases": ["sad", "bad"]}, "Bad, bad.", "failed", '"bad" found 2 times, none asked'),
    ],
)
def test_phrases_are_not_contained(params, response, result, reason):
    outcome = check("not_contain", params, response)

    assert (outcome.result, outcome.reason) == (result, reason)


@pytest.mark.parametrize(("scope", "times"), [("whole", 3), ("outside_code", 2), ("prose", 1)])
def test_a_keyword_in_code_or_an_address_counts_unless_the_scope_excludes_it(scope, times):
    response = "tea `tea` https://tea.org"

    outcome = check("contain", {"phrases": ["tea"], "min_count": 9}, response, scope=scope)

    assert outcome.reason == f'"tea" found {times} time{"s" * (times > 1)}, at least 9 asked'


def test_what_was_found_is_shown_in_the_raw_response():
    outcome = check("contain", {"phrases": ["tea"]}, "\r\nTea\r\nand tea")

    assert outcome.spans == ((2, 5), (11, 14))


def test_what_was_found_in_rendered_text_has_no_place_in_the_raw_response():
    outcome = check("contain", {"phrases": ["thank you"]}, "Thank **you**", markdown="rendered")

    assert (outcome.result, outcome.spans) == ("passed", ())


@pytest.mark.parametrize(
    ("text", "response", "options", "result"),
    [
        ("Dear", "Dear all", {}, "passed"),
        ("Dear", "  dear all", {}, "passed"),
        ("Dear", "dear all", {"case": "match"}, "failed"),
        ("Dear", "Dearest", {}, "failed"),
        ("Dear", "**Dear** all", {}, "failed"),
        ("Dear", "**Dear** all", {"markdown": "rendered"}, "passed"),
    ],
)
def test_a_response_begins_with_a_text(text, response, options, result):
    assert check("begin_with", {"text": text}, response, **options).result == result


def test_a_wrong_beginning_is_shown_and_cut_where_it_gets_long():
    outcome = check("begin_with", {"text": "Dear"}, "Hello " * 30)

    shown = "Hello Hello Hello Hello Hello Hello Hello Hello"
    assert outcome.reason == f'begins with "{shown[:47]}…", "Dear" asked'


@pytest.mark.parametrize(
    ("response", "options", "result"),
    [
        ("So, thank you", {}, "passed"),
        ("So, Thank  You\n\n", {}, "passed"),
        ("Thank you.", {}, "failed"),
        ("Thank you.", {"ignore_final_punct": True}, "passed"),
        ("“Thank you!”", {"ignore_final_punct": True}, "passed"),
        ("Thank **you**", {"markdown": "rendered"}, "passed"),
    ],
)
def test_a_response_ends_with_a_text(response, options, result):
    assert check("end_with", {"text": "thank you"}, response, **options).result == result


def test_final_marks_of_the_text_itself_are_overlooked_as_well():
    outcome = check("end_with", {"text": "Thank you."}, "Thank you!", ignore_final_punct=True)

    assert outcome.result == "passed"


def test_a_text_of_nothing_but_marks_is_compared_as_it_is():
    assert check("end_with", {"text": "…"}, "and so on…", ignore_final_punct=True).reason == (
        'ends with "and so on…", "…" asked'
    )


def test_a_wrong_end_is_shown_and_cut_in_front():
    outcome = check("end_with", {"text": "Yours"}, "bye " * 30)

    assert outcome.reason == f'ends with "…{"bye " * 11}bye", "Yours" asked'


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        ("end_with", {"text": "Yours"}),
        ("nth_paragraph_end_with", {"n": 2, "text": "Yours"}),
        ("nth_paragraph_end_with", {"n": -1, "text": "Yours"}),
    ],
)
def test_a_response_that_was_cut_off_has_no_end(kind, params):
    outcome = check(kind, params, "Dear\n\nYours", truncated=True)

    assert outcome.result == "failed"
    assert "was cut off" in outcome.reason


def test_a_paragraph_before_the_cut_keeps_its_end():
    params = {"n": 1, "text": "Dear"}

    assert check("nth_paragraph_end_with", params, "Dear\n\nYo", truncated=True).result == "passed"


THREE = "First one here.\n\n**Second** one there.\n\nThird one, tea."


@pytest.mark.parametrize(
    ("kind", "params", "options", "result", "reason"),
    [
        ("begin_with", {"n": 1, "text": "First"}, {}, "passed", 'paragraph 1: begins with "First"'),
        (
            "begin_with",
            {"n": 2, "text": "Second"},
            {},
            "failed",
            'paragraph 2: begins with "**Second** one there.", "Second" asked',
        ),
        (
            "begin_with",
            {"n": 2, "text": "Second"},
            {"markdown": "rendered"},
            "passed",
            'paragraph 2: begins with "Second"',
        ),
        (
            "contain",
            {"n": -1, "text": "tea"},
            {},
            "passed",
            'paragraph -1: "tea" found 1 time, at least 1 asked',
        ),
        (
            "contain",
            {"n": 1, "text": "tea"},
            {},
            "failed",
            'paragraph 1: "tea" found 0 times, at least 1 asked',
        ),
        ("end_with", {"n": 3, "text": "tea."}, {}, "passed", 'paragraph 3: ends with "tea."'),
        (
            "end_with",
            {"n": 3, "text": "tea"},
            {"ignore_final_punct": True},
            "passed",
            'paragraph 3: ends with "tea"',
        ),
        ("contain", {"n": 4, "text": "tea"}, {}, "failed", "3 paragraphs, number 4 asked"),
        ("contain", {"n": -4, "text": "tea"}, {}, "failed", "3 paragraphs, number -4 asked"),
        (
            "contain",
            {"n": 3, "text": "tea", "paragraphs": 2},
            {},
            "failed",
            "3 paragraphs, exactly 2 asked",
        ),
        (
            "contain",
            {"n": 3, "text": "tea", "paragraphs": 3},
            {},
            "passed",
            'paragraph 3: "tea" found 1 time, at least 1 asked',
        ),
    ],
)
def test_the_nth_paragraph_is_looked_at(kind, params, options, result, reason):
    outcome = check(f"nth_paragraph_{kind}", params, THREE, **options)

    assert (outcome.result, outcome.reason) == (result, reason)


def test_a_divider_decides_which_paragraph_is_the_nth():
    params = {"n": 2, "text": "b", "divider": "***"}

    assert check("nth_paragraph_begin_with", params, "a\n\na\n***\nb").result == "passed"


def test_headings_and_list_items_count_among_the_paragraphs_when_asked():
    options = {"headings": True, "list_items": True}

    outcome = check("nth_paragraph_contain", {"n": 3, "text": "b"}, "# T\n\n- a\n- b", **options)

    assert outcome.result == "passed"


def test_a_checklist_checks_many_responses_like_one_by_one():
    constraints = [Constraint("json"), *EVERY_TYPE]
    checklist = registry.Checklist(constraints)
    views = [DocumentView("Dear\n\ntea"), DocumentView("Coffee")]

    outcomes = [checklist.check(view) for view in views]

    assert outcomes == [registry.check_all(constraints, view) for view in views]


def test_a_reason_holds_no_control_character():
    outcome = check("begin_with", {"text": "Dear"}, "Be\0ll\x07")

    assert outcome.reason == 'begins with "Be�ll�", "Dear" asked'


def test_checkers_share_what_a_view_has_found_already():
    view = DocumentView("Dear\n\ntea\n\nYours")
    results = [one.result for one in registry.check_all(EVERY_TYPE[:11], view)]

    again = [one.result for one in registry.check_all(EVERY_TYPE[:11], view)]

    # The first paragraph says "Dear" and no more.
    assert results == again
    assert results.count(CheckResult.FAILED) == 1


def test_a_checker_keeps_the_constraint_with_its_defaults():
    checker = registry.compile_checker(EVERY_TYPE[0])

    assert checker.constraint == dataclasses.replace(
        EVERY_TYPE[0],
        params={"phrases": ["tea"], "match": "word", "require": "all", "min_count": 1},
        options={"case": "ignore", "quotes": "fold", "markdown": "raw", "scope": "whole"},
    )
