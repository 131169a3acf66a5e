"""What a sentence is in studio/1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.checkers.segmentation import TextView
from rubricstudio.core.checkers.segmentation.sentences import split_sentences

PLAIN = st.lists(
    st.sampled_from(["The sky is blue.", "Really?", "Go away!", "Two birds sang."]), min_size=1
)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Dr. Smith left.", 1),
        ("Wait?! Really?", 2),
        ("v1.2.3 is out. Upgrade!", 2),
        ("See Fig. 3 for more. Done.", 2),
        ("No. I won't.", 2),
        ("No. 5 is alive.", 1),
        ("你好。世界！", 2),
        ("你好?世界", 2),
        ("- one\n- two\n- three", 3),
        ("1. First thing. Second.\n2. Another", 3),
        ("# Title\n\nOne sentence.", 1),
        ("# Only a title", 0),
        ("Hi! :) Bye.", 2),
        ("Great! 🎉 Thanks.", 2),
        ("U.S. Army came.", 1),
        ("He lives in the U.S. She left.", 2),
        ("It began at 5 p.m. The doors closed.", 2),
        ("J. K. Rowling", 1),
        ("Take vitamin C. It helps.", 2),
        ("Apples, etc. are good.", 1),
        ("Apples, etc. Then we left.", 2),
        ("Apples, etc. It’s late.", 2),
        ("i went home. then i slept.", 2),
        ("I went home. then nothing.", 1),
        ("iPhone is great. iPads too.", 2),
        ('"Stop!" he said.', 1),
        ("He said “Stop!” Then he left.", 2),
        ("Well... maybe. Well... Maybe.", 3),
        ("This is shown.[3] Next.", 2),
        ("This is shown. [3, 4] Next.", 2),
        ("Was it 3.5? Yes.", 2),
        ("It ended in 2020. Then", 2),
        ("Intro:\n- a\n- b.", 3),
        ("One line\nbroken in two. End.", 2),
        ("> Quoted one. Quoted two.", 2),
        ("It holds that a > b. And c < d.", 2),
        ("Look:\n\n| a | b |\n|---|---|\n| c. | D. |\n\nDone.", 2),
        ("Text one.\n\n```\nx. Y.\n```\nMore.", 2),
        ("यह एक है। यह दो है।", 2),
        ("Well! … ! Then we left.", 2),
        ("🙂🙂", 0),
        ("", 0),
    ],
)
def test_sentences_are_counted_as_a_careful_person_would(text, count):
    sentences = TextView(text).sentences

    assert sentences is not None
    assert len(sentences) == count


@pytest.mark.parametrize(
    "text", ["```\nx. Y.\n```", "| a | b |\n|---|---|\n| c. | D. |", "# T\n\n```\nx\n```"]
)
def test_the_splitter_abstains_where_there_is_only_code_or_a_table(text):
    assert TextView(text).sentences is None


@given(PLAIN)
def test_plain_sentences_come_back_as_they_were_joined(sentences):
    assert split_sentences(" ".join(sentences)) == sentences


@given(PLAIN, PLAIN)
def test_sentences_never_cross_paragraphs(first, second):
    text = " ".join(first) + "\n\n" + " ".join(second)

    assert TextView(text).sentences == first + second
