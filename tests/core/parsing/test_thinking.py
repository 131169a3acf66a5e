import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.parsing import strip_leading_thinking, strip_thinking

PLAIN = st.text(alphabet=st.characters(exclude_characters="<[◁", exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>x</think>yes", "yes"),
        ("<think>\n\n</think>\n\nyes", "yes"),
        ("< Think >x< / think >yes", "yes"),
        ("<reasoning>x</reasoning>yes", "yes"),
        ("<seed:think>x</seed:think>yes", "yes"),
        ("◁think▷x◁/think▷yes", "yes"),
        ("<|begin_of_thought|>x<|end_of_thought|>yes", "yes"),
        ("cut before the opening</think>yes", "yes"),
        ("<think>never closed, yes", ""),
        ("yes<think>and on", "yes"),
        ("<think>a</think>b<think>c</think>yes", "yes"),
        ("I think, <b>yes</b>", "I think, <b>yes</b>"),
        ("", ""),
    ],
)
def test_the_answer_is_what_follows_the_thinking(text, answer):
    assert strip_thinking(text) == answer


@given(PLAIN, PLAIN)
def test_any_thinking_is_cut_and_any_answer_left(thought, answer):
    assert strip_thinking(f"<think>{thought}</think>{answer}") == answer.strip()


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("<think>x</think>\n\nHello", "Hello"),
        ("  <think>x</think>Hello </think> there", "Hello </think> there"),
        ("<think>never closed", ""),
        ("So it is, as the template opened.\n</think>\n\nHello", "Hello"),
        ("Use <think> and </think> as tags.", "Use <think> and </think> as tags."),
        ("  Hello", "  Hello"),
        ("About the tag <think>: it opens.", "About the tag <think>: it opens."),
        ("Hello", "Hello"),
    ],
)
def test_a_rollout_loses_only_the_thinking_it_opens_with(text, rest):
    assert strip_leading_thinking(text) == rest
