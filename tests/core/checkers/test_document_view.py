import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.checkers.segmentation import DocumentView, Folding, Part, fold
from rubricstudio.core.types import Span

MESSY = st.text(
    st.sampled_from("ab \r\n\te\u0301éあ゙か\u3099ᄒ\u1161ᆫ각")
    | st.characters(exclude_categories=["Cs"])
)

# Every character that some folding changes.
FOLDED = "".join(
    character
    for character in map(chr, range(0x20000))
    if character.lower() != character or character.isspace() or fold(character) != character
)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("\n \n\n  a\n b\n\n \n", "  a\n b"),
        ("e\u0301", "é"),
        ("<think>So.\n</think>\n\nHi.", "Hi."),
        ("  <thinking>So.</thinking>Hi.", "Hi."),
        ("So the answer is.\n</think>\nHi.", "Hi."),
        ("So.< / think >Hi.", "Hi."),
        ("[THINK]So.[/THINK]Hi.", "Hi."),
        ("◁think▷So.◁/think▷Hi.", "Hi."),
        ("<|channel|>analysis<|message|>So.<|channel|>final<|message|>Hi.", "Hi."),
        ("Use <think> and </think> as tags.", "Use <think> and </think> as tags."),
        ("a < b and c > d", "a < b and c > d"),
        (" \n\t", ""),
    ],
)
def test_a_response_is_prepared_once_before_anything_counts(raw, text):
    assert DocumentView(raw).text == text


def test_the_raw_response_is_kept():
    assert DocumentView("\r\na").raw == "\r\na"


def test_reasoning_that_never_ends_leaves_an_empty_response_that_was_cut_off():
    view = DocumentView("<think>Let me see")

    assert (view.empty, view.truncated) == (True, True)


@pytest.mark.parametrize(
    ("raw", "found", "there"),
    [
        ("  the end", "end", "end"),
        ("<think>x</think>\n\nthe end", "end", "end"),
        ("\r\n\r\nthe\r\nend", "the\nend", "the\r\nend"),
        ("\u00a0ne\u0301e end", "née", "ne\u0301e"),
    ],
)
def test_a_place_in_the_text_is_traced_back_into_the_raw_response(raw, found, there):
    view = DocumentView(raw)
    start = view.text.index(found)

    (span,) = view.raw_spans([Span(start, start + len(found))])

    assert raw[span.start : span.end] == there


@given(MESSY)
def test_every_traced_place_holds_what_the_text_holds_there(raw):
    view = DocumentView(raw)

    places = [Span(at, at + 1) for at in range(len(view.text))]
    traced = view.raw_spans(places)
    for place, span in zip(places, traced, strict=True):
        character = view.text[place.start]
        source = raw[span.start : span.end].replace("\r\n", "\n").replace("\r", "\n")
        assert character in unicodedata.normalize("NFC", source) or span.start == span.end


@given(MESSY)
def test_composed_and_decomposed_texts_have_one_view(raw):
    decomposed = DocumentView(unicodedata.normalize("NFD", raw))

    assert decomposed.text == DocumentView(raw).text


def test_a_long_text_is_composed_like_a_short_one():
    assert DocumentView("e\u0301" * 4000).text == "é" * 4000


def test_a_letter_with_more_marks_than_any_script_writes_keeps_them():
    view = DocumentView("e" + "\u0301\u0327" * 3000)

    # The first mark joins its letter; the others stay.
    assert len(view.text) == 6000


@given(st.text())
def test_folding_keeps_every_character_in_its_place(text):
    assert len(fold(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "folding", "folded"),
    [
        ("Ab\n“C”\u00a0’d’", Folding(), "ab \"c\" 'd'"),
        ("Ab “C”", Folding(case=False), 'Ab "C"'),
        ("Ab “C”", Folding(quotes=False), "ab “c”"),
        ("ΟΔΟΣ οδός İ", Folding(), "οδοσ οδόσ i"),
    ],
)
def test_what_is_folded_becomes_equal(text, folding, folded):
    assert fold(text, folding) == folded


@pytest.mark.parametrize("folding", [Folding(), Folding(case=False), Folding(quotes=False)])
def test_a_text_folds_alike_whether_it_has_few_kinds_of_characters_or_many(folding):
    one_by_one = [fold(character, folding) for character in FOLDED]

    assert len(FOLDED) > 1000
    assert fold(FOLDED, folding) == "".join(one_by_one)


def test_half_of_a_surrogate_pair_stays_when_a_text_is_folded():
    assert fold("A\ud800 B") == "a\ud800 b"


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (Part.WHOLE, "a `b` c\n```\nd\n```\nhttps://e.org f@g.org!"),
        (Part.OUTSIDE_CODE, "a     c\n   \n \n   \nhttps://e.org f@g.org!"),
        (Part.PROSE, "a     c\n   \n \n   \n                     !"),
    ],
)
def test_parts_are_blanked_in_their_place(part, text):
    view = DocumentView("a `b` c\n```\nd\n```\nhttps://e.org f@g.org!")

    assert view.part(part).text == text


def test_a_stray_backtick_hides_nothing_beyond_its_paragraph():
    view = DocumentView("it`s one\n\nand `code` here")

    assert view.part(Part.OUTSIDE_CODE).text == "it`s one\n\nand        here"


def test_the_words_of_a_view_are_found_in_order():
    assert DocumentView("So - it's\nso.").whole.words == ["So", "it's", "so"]


def test_a_text_without_a_backtick_has_no_code():
    view = DocumentView("plain text")

    assert view.part(Part.OUTSIDE_CODE).text == "plain text"


def test_a_part_is_made_once():
    view = DocumentView("a `b`")

    assert view.part(Part.PROSE) is view.part(Part.PROSE)


@pytest.mark.parametrize(
    ("markdown", "seen"),
    [
        ("# Title", "Title"),
        ("**Dear** *Sir*, un**believ**able", "Dear Sir, unbelievable"),
        ("_so_ snake_case __yes__", "so snake_case yes"),
        ("~~old~~ `code`", "old code"),
        ('[text](https://x.y/(z) "t") ![alt](i.png)', "text alt"),
        ("- item\n* item", "item\nitem"),
        ("1. first", "1. first"),
        ("> quoted", "quoted"),
        ("```py\nx\n```", "\nx\n"),
        ("a\n\n---\n\nb", "a\n\n\n\nb"),
        ("| a | b |\n|---|---|", "| a | b |\n"),
        (r"\*not\* 2 * 3 * 4", "*not* 2 * 3 * 4"),
    ],
)
def test_rendered_text_is_what_a_reader_sees(markdown, seen):
    assert DocumentView(f"x\n{markdown}\nx").whole.rendered.text == f"x\n{seen}\nx"
