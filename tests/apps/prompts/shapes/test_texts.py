"""Texts are compared with their white space folded."""

from hypothesis import given
from hypothesis import strategies as st

from apps.prompts.shapes.texts import fold

SPACES = st.sampled_from(" \t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\xa0\u2003\u2028\u2029\u202f\u3000")


@given(text=st.text(SPACES | st.characters(exclude_categories=["Cs"])))
def test_folding_is_what_splitting_and_joining_gives(text):
    assert fold(text) == " ".join(text.split())
