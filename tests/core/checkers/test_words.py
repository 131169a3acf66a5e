import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.checkers.segmentation import words
from rubricstudio.core.checkers.segmentation.words import (
    count_words,
    find_word_spans,
    find_words,
)

AWKWARD = st.text(
    st.sampled_from("aZé09'’-‐_.,:/@#* \n\t1.)你かー한ك\u200c\u0301\ufe0f\u20e3🙂—…")
    | st.characters()
)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("don't", 1),
        ("don’t", 1),
        ("state-of-the-art", 1),
        ("and/or", 2),
        ("U.S.A.", 1),
        ("the U.S.-based firm", 3),
        ("a Ph.D. thesis", 3),
        ("3.14", 1),
        ("1,000", 1),
        ("v1.2.3 is out", 3),
        ("see https://example.org/a_(b)?q=1#x now", 3),
        ("[text](https://x.y/z).", 2),
        ("ask a.b@example.org today", 3),
        ("visit example.com/a, then", 3),
        ("end.Next", 2),
        ("访问https://x.y。然后", 5),
        ("—", 0),
        ("*", 0),
        ("#", 0),
        ("1.", 0),
        ("1. one\n2) two", 2),
        ("It was\n1990. Then", 4),
        ("- [x] done", 1),
        ("🙂 ok", 1),
        ("❤️ love", 1),
        ("1️⃣ one", 1),
        ("snake_case", 1),
        ("_emphasis_", 1),
        ("co-\noperate", 1),
        ("co-\n operate", 2),
        ("word…another", 2),
        ("word--word", 2),
        ("**bold** text", 2),
        ("你好world", 3),
        ("コーヒー", 4),
        ("한국어 문장", 2),
        ("हिन्दी भाषा", 2),
        ("می‌خواهم بروم", 2),
        ("e\u0301te\u0301", 1),
        ("", 0),
    ],
)
def test_words_are_counted_as_a_careful_person_would(text, count):
    assert count_words(text) == count


def test_runs_of_han_and_kana_are_one_word_each_when_asked():
    assert count_words("你好，世界 and more", cjk_characters=False) == 4


def test_found_words_are_the_words_in_order():
    words_found = find_words("1. Don't “co-\noperate” at 3.5%!")

    assert words_found == ["Don't", "co-operate", "at", "3.5"]


@given(AWKWARD, st.booleans())
def test_counting_words_and_finding_them_agree(text, cjk):
    assert count_words(text, cjk_characters=cjk) == len(find_words(text, cjk_characters=cjk))


@given(AWKWARD, AWKWARD)
def test_words_of_two_paragraphs_are_the_words_of_both(first, second):
    assert count_words(f"{first}\n\n{second}") == count_words(first) + count_words(second)


def test_remembered_tokens_are_forgotten_before_they_fill_the_memory(monkeypatch):
    monkeypatch.setattr(words._Counts, "LIMIT", 3)
    counts = words._Counts(words._PATTERNS[True])

    seen = [counts[f"token{number}"] for number in range(10)]

    assert (sum(seen), len(counts) <= 3) == (10, True)


def test_long_tokens_are_counted_but_not_remembered():
    counts = words._Counts(words._PATTERNS[True])

    assert (counts["你" * 500], len(counts)) == (500, 0)


@given(st.text(st.sampled_from("ab3.'-—*@/你ー\u0301 \n1)")))
def test_each_word_stands_where_it_is_shown(text):
    spans = find_word_spans(text)

    shown = [text[start:end].replace("-\n", "-") for start, end in spans]
    assert shown == find_words(text)
