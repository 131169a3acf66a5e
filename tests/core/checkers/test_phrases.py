from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.checkers.phrases import Match, Phrase, trim
from rubricstudio.core.checkers.segmentation import Folding, TextView
from rubricstudio.core.types import Span

LETTERS = st.text("abAB '-_.\n", min_size=1)


def count(phrase, text, **how):
    return len(Phrase(phrase, **how).find(TextView(text)))


@pytest.mark.parametrize(
    ("phrase", "text", "times"),
    [
        ("art", "start", 0),
        ("art", "Art for art's sake", 2),
        ("C++", "I know C++.", 1),
        ("C++", "C++11", 1),
        ("$5", "It costs $5.", 1),
        ("$5", "$50 or $5.50 or $5,000", 0),
        ("5", "1.5 and 5", 1),
        ("a.b", "a.b axb", 1),
        ("bad", "badge", 0),
        ("bad", "bad-tempered", 1),
        ("can", "can't, can’t", 0),
        ("don't", "I don’t", 1),
        ("Tom", "Tom's and TOM'S", 2),
        ("Tom", "Tom'sy", 0),
        ("s", "Tom's", 0),
        ("amour", "l'amour", 1),
        ("art", "_art_ snake_art art_deco", 1),
        ("foo bar", "foo\nbar and foo   bar", 2),
        ("aa", "aaaa aa aa", 2),
        ("ab ab", "ab ab ab  ab", 2),
        ("世界", "你好世界", 1),
        ("python", "使用Python编程", 1),
        ("학교", "학교에서", 1),
        ("राम", "रामायण", 0),
        ("cafe\u0301", "un café", 1),
        ("“yes”", 'She said "yes".', 1),
        ("tea", "", 0),
    ],
)
def test_a_phrase_is_found_where_it_stands_on_its_own(phrase, text, times):
    assert count(phrase, text) == times


@pytest.mark.parametrize(
    ("how", "times"),
    [
        ({"match": Match.SUBSTRING}, 3),
        ({"match": Match.SUBSTRING, "folding": Folding(case=False)}, 1),
        ({"match": Match.EXACT}, 1),
        ({}, 2),
    ],
)
def test_a_phrase_is_looked_for_as_asked(how, times):
    assert count("Art", "Art, art and start", **how) == times


def test_an_exact_phrase_folds_nothing_at_all():
    assert count("a b", "a\nb A b", match=Match.EXACT) == 0


def test_an_exact_phrase_is_compared_at_both_ends_as_it_stands():
    text = TextView("Dear all")
    dear, small = Phrase("Dear", Match.EXACT), Phrase("dear", Match.EXACT)

    assert (dear.at_start(text), small.at_start(text)) == ((0, 4), None)


def test_curly_quotes_differ_when_asked():
    assert count("“yes”", 'She said "yes".', folding=Folding(quotes=False)) == 0


def test_a_phrase_is_found_in_a_part_of_a_text_only():
    text = TextView("tea tea tea")

    assert Phrase("tea").find(text, Span(4, 7)) == [(4, 7)]


@pytest.mark.parametrize(
    ("phrase", "text", "span"),
    [
        ("dear", "  Dear all", (2, 6)),
        ("dear", "Dearest", None),
        ("dear all", "Dear\n  all,", (0, 10)),
        ("dear all", "Dear you", None),
        ("dear all", "Dear  you", None),
    ],
)
def test_a_phrase_stands_at_the_start(phrase, text, span):
    assert Phrase(phrase).at_start(TextView(text)) == span


@pytest.mark.parametrize(
    ("phrase", "text", "punctuation", "span"),
    [
        ("thank you", "So thank you ", True, (3, 12)),
        ("thank you", "So thank you.", True, None),
        ("thank you", "So thank you. ✨", False, None),
        ("thank you", "So thank  you!”\n", False, (3, 13)),
        ("thank you", "So thank  us  you", True, None),
        ("you", "So thankyou", True, None),
        ("longer than the text", "text", True, None),
    ],
)
def test_a_phrase_stands_at_the_end(phrase, text, punctuation, span):
    assert Phrase(phrase).at_end(TextView(text), punctuation=punctuation) == span


@pytest.mark.parametrize(("text", "span"), [("  a b ", (2, 5)), ("   ", (3, 3)), ("", (0, 0))])
def test_trimming_takes_white_space_off_both_ends(text, span):
    assert trim(text, None) == span


@given(LETTERS.filter(str.strip), LETTERS)
def test_occurrences_never_overlap_and_stand_in_order(phrase, text):
    spans = Phrase(phrase).find(TextView(text))

    assert all(first.end <= second.start for first, second in pairwise(spans))


@given(LETTERS, LETTERS, st.sampled_from(["tea", "green tea", "C++"]))
def test_a_phrase_between_spaces_is_always_found(before, after, phrase):
    assert count(phrase, f"{before} {phrase} {after}") >= 1


@given(LETTERS.filter(str.strip), LETTERS)
def test_what_stands_on_its_own_is_also_a_substring(phrase, text):
    assert count(phrase, text) <= count(phrase, text, match=Match.SUBSTRING) or "  " in phrase
