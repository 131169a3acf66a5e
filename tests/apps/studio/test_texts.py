"""Cards of texts and differences, as templates show them."""

import pytest
from django.template import Context, Template

from apps.studio.templatetags.studio import initials, keys_of
from apps.studio.templatetags.texts import cut, script_lang
from apps.studio.words import percent, thousands


def shown(source: str, **context) -> str:
    return Template("{% load texts figures %}" + source).render(Context(context))


def test_a_card_shows_a_response_rendered_and_raw():
    page = shown("{% response text %}", text="**Yes** & no")

    assert "<strong>Yes</strong> &amp; no" in page
    assert "hidden>**Yes** &amp; no</pre>" in page


def test_a_card_of_a_megabyte_shows_its_beginning_and_leads_to_the_rest():
    page = shown("{% response text all_href='/all/' %}", text="One sentence. " * 75_000)

    assert len(page) < 50_000
    assert "of 1,050,000 characters" in page
    assert 'href="/all/"' in page


def test_a_cut_ends_with_a_sentence():
    assert cut("One two. Three four five.", 20) == "One two. "


def test_a_text_without_an_end_is_cut_where_the_limit_is():
    assert cut("字" * 50, 20) == "字" * 20


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("光合作用", "zh"),
        ("これは試験です", "ja"),
        ("안녕하세요", "ko"),
        ("שלום", "he"),
        ("مرحبا", "ar"),
        ("An English text that names 光 once", ""),
        ("", ""),
        ("123 🙂", ""),
    ],
)
def test_the_script_of_a_text_suggests_its_language(text, lang):
    assert script_lang(text) == lang


def test_a_difference_marks_what_went_and_what_came():
    page = shown("{% word_diff 'one two' 'one three' %}")

    assert "one <del>two</del><ins>three</ins>" in page


def test_a_difference_side_by_side_keeps_each_text_whole():
    page = shown("{% word_diff 'one <two>' 'one three' sides=True %}")

    assert "one <del>&lt;two&gt;</del></div>" in page
    assert "one <ins>three</ins></div>" in page


def test_a_share_is_rounded_to_none_or_all_only_when_it_is():
    assert [percent(share) for share in (0.0, 0.0001, 0.643, 0.99999, 1.0, None)] == [
        "0.0 %",
        "< 0.1 %",
        "64.3 %",
        "> 99.9 %",
        "100.0 %",
        "–",
    ]


def test_large_numbers_are_grouped():
    assert thousands(1248) == "1,248"


@pytest.mark.parametrize(
    ("name", "signs"),
    [("author-2", "A2"), ("shots", "S"), ("Ada B. Lovelace", "AL"), ("王", "王")],
)
def test_a_person_has_initials(name, signs):
    assert initials(name) == signs


def test_keys_are_named_as_on_a_keyboard():
    assert keys_of("Control+Enter") == ["Ctrl", "Enter"]
    assert keys_of("g p") == ["g", "p"]
