"""Titles, sections, postscripts, places to fill in, divided parts; punctuation and quotation."""

import pytest

from rubricstudio.core.checkers import registry
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import CheckResult, Constraint
from tests.core.checkers.checking import check, found, passes


@pytest.mark.parametrize(
    ("form", "response", "expected"),
    [
        ("any", "# Tea\n\nGood.", True),
        ("any", "Tea\n===\n\nGood.", True),
        ("any", "**Tea**\n\nGood.", True),
        ("any", "<<Tea>>\nGood.", True),
        ("any", "Tea is good.", False),
        ("heading", "<<Tea>>\nGood.", False),
        ("heading", "Good.\n\n# Tea", False),
        ("angle_brackets", "# Tea\n\nGood.", False),
        ("angle_brackets", "Good <<Tea>>", True),
        ("angle_brackets", "<< >>", False),
        ("angle_brackets", "<Tea>", False),
        ("any", "**Tea** is good.", False),
    ],
)
def test_a_title_stands_at_the_start_or_in_angle_brackets(form, response, expected):
    assert passes("title", {"form": form}, response) is expected


@pytest.mark.parametrize(
    ("params", "response", "count"),
    [
        ({}, "SECTION 1\na\nSECTION 2\nb", 2),
        ({}, "## Section 1: a\n\n**SECTION 2**\nb", 2),
        ({}, "see section 2 below", 0),
        ({"marker": "Day"}, "Day 1: a\nDay 2: b\nDaylight 3", 2),
        ({"marker": "PARAGRAPH"}, "PARAGRAPH I\na\nPARAGRAPH II\nb", 2),
        ({"marker": "Part"}, "Part A\nParty B", 1),
        ({"marker": "(x)+"}, "(x)+ 1", 1),
    ],
)
def test_marked_sections_are_counted(params, response, count):
    assert passes("section_count", {"op": "eq", "value": count, **params}, response) is True


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("# Summary\na\n# Risks\nb", True),
        ("**Summary:**\na\n\n**Risks**\nb", True),
        ("Summary: a\nRisks: b", True),
        ("1. Summary\na\n2. Risks\nb", True),
        ("# Risks\na\n# Summary\nb", False),
        ("A summary and the risks.", False),
        ("# SUMMARY\na\n# RISKS\nb", True),
    ],
)
def test_named_sections_stand_in_order(response, expected):
    assert passes("named_sections", {"names": ["Summary", "Risks"]}, response) is expected


def test_a_missing_section_is_named():
    outcome = check("named_sections", {"names": ["Summary", "Risks"]}, "# Summary\na")

    assert outcome.reason == '1 section missing, the first is "Risks"'


@pytest.mark.parametrize(
    ("marker", "response", "expected"),
    [
        ("P.S.", "Dear all,\n\nP.S. Bring tea.", True),
        ("P.S.", "Dear all,\n\nPS: Bring tea.", True),
        ("P.S.", "Dear all,\n\n**P. S.** Bring tea.", True),
        ("P.S.", "Dear all,\n\np.s. bring tea", True),
        ("P.S.", "Dear all,\n\nP.P.S Bring tea.", False),
        ("P.P.S", "Dear all,\n\nP.P.S Bring tea.", True),
        ("P.S.", "Dear all,\n\nP.S.", False),
        ("P.S.", "P.S. Bring tea.", False),
        ("P.S.", "Dear all,\n\nPsychology matters.", False),
        ("附言", "大家好。\n\n附言:请带茶。", True),
    ],
)
def test_a_postscript_begins_a_later_line(marker, response, expected):
    assert passes("postscript", {"marker": marker}, response) is expected


@pytest.mark.parametrize(
    ("brackets", "response", "count"),
    [
        ("square", "[address] and [your name]", 2),
        ("square", "a claim [1], [2, 3] and [4-6]", 0),
        ("square", "- [x] done\n- [ ] open", 0),
        ("square", "[a link](http://a.b) and [ref][id]", 1),
        ("square", "`x[index]` in code", 0),
        ("curly", "Dear {name}, {}", 1),
        ("angle", "Dear <name>, <br/> <b>x</b> <https://a.b>", 1),
    ],
)
def test_places_to_fill_in_are_counted(brackets, response, count):
    params = {"op": "eq", "value": count, "brackets": brackets}

    assert check("placeholder_count", params, response).reason.startswith(f"{count} placeholder")


@pytest.mark.parametrize(
    ("params", "response", "expected"),
    [
        ({}, "one\n******\ntwo", True),
        ({}, "one\n******\none", False),
        ({"different": False}, "one\n******\none", True),
        ({}, "one\n******\ntwo\n******\nthree", False),
        ({"parts": 3}, "one\n******\ntwo\n******\nthree", True),
        ({}, "one", False),
    ],
)
def test_two_responses_stand_between_a_divider(params, response, expected):
    assert passes("divided_parts", {"divider": "******", **params}, response) is expected


@pytest.mark.parametrize(
    ("marks", "response", "expected"),
    [
        ([","], "tea and milk.", True),
        ([","], "tea, milk", False),
        ([","], "1,000", False),
        ([","], "茶，牛奶", False),
        (["!", "?"], "Really?", False),
        (["..."], "Well... no", False),
        (["..."], "Well. no", True),
        (None, "tea and milk", True),
        (None, "tea and milk.", False),
        (["—"], "tea — milk", False),
        (["—"], "well-known", True),
    ],
)
def test_marks_are_not_used(marks, response, expected):
    params = {} if marks is None else {"marks": marks}

    assert passes("no_punctuation", params, response) is expected


def test_the_marks_that_stand_there_are_shown():
    response = "tea, milk, bread"

    outcome = check("no_punctuation", {"marks": [","]}, response)

    assert outcome.reason == '2 marks, no , asked, the first is ","'
    assert outcome.spans == ((3, 4), (9, 10))


@pytest.mark.parametrize(
    ("marks", "response", "expected"),
    [
        (["!"], "Good tea! Drink it!", True),
        (["!"], "Good tea! Drink it.", False),
        (["?"], 'Is it "tea?" Really?', True),
        (["!", "?"], "Tea! Why?", True),
        (["!"], "好茶！快喝！", True),
        (["!"], "```\nx\n```", None),
    ],
)
def test_every_sentence_ends_with_the_mark(marks, response, expected):
    assert passes("sentences_end_with", {"marks": marks}, response) is expected


@pytest.mark.parametrize(
    ("style", "response", "expected"),
    [
        ("double", '"Tea is good."', True),
        ("double", "“Tea is good.”", True),
        ("double", "「お茶」", True),
        ("double", "«Thé»", True),
        ("double", "'Tea'", False),
        ("double", '"Tea" is "good"', True),
        ("double", '"', False),
        ("double", 'He said "tea"', False),
        ("straight", "“Tea”", False),
        ("single", "'Tea'", True),
    ],
)
def test_the_whole_response_stands_in_quotation_marks(style, response, expected):
    assert passes("quotation", {"style": style}, response) is expected


def test_a_response_that_was_cut_off_has_no_closing_mark():
    quoted = '"Tea" and "milk"'

    assert passes("quotation", {}, quoted) is True
    assert check("quotation", {}, quoted, truncated=True).result is CheckResult.FAILED


@pytest.mark.parametrize(
    ("kind", "params", "told"),
    [
        ("postscript", {"marker": "..."}, "letters"),
        ("divided_parts", {"divider": "***", "parts": 1}, "2 parts at least"),
        ("heading_count", {"op": "eq", "value": 1, "level": 7}, "levels 1 to 6"),
        ("heading_count", {"op": "eq", "value": 1, "level": 0}, "levels 1 to 6"),
        ("named_sections", {"names": ["Tea", " "]}, "not blank"),
        ("section_count", {"op": "eq", "value": 10**9}, "whole number from 0"),
    ],
)
def test_parameters_that_cannot_be_are_refused_with_a_reason(kind, params, told):
    with pytest.raises(ConstraintError, match=told):
        registry.normalised(Constraint(kind, params))


def test_a_title_is_shown_where_it_stands():
    response = "\n\n# Tea\n\nGood."

    assert found(check("title", {}, response), response) == ["# Tea"]
