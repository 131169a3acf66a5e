"""What a row of a trainer's log or an evaluation's output says."""

import pytest

from apps.prompts.reading import MissingColumn, Row, RowError
from apps.rollouts.shapes import read_rollouts
from apps.rollouts.shapes.templates import unwrapped

USER = {"role": "user", "content": "Why?"}
SAID = {"role": "assistant", "content": "So."}


def rollouts(table=False, mapped=(), **values):
    return read_rollouts(Row(1, values, "", table), policy="default", mapped=mapped)


def rollout(**values):
    (only,) = rollouts(**values)
    if isinstance(only, RowError):
        raise only
    return only


def said(value):
    return [(message.role.value, message.content) for message in value.messages]


@pytest.mark.parametrize("name", ["response", "output", "completion", "Answer", "generation"])
def test_a_response_column_is_the_answer(name):
    assert said(rollout(prompt="Why?", **{name: "So."})) == [("assistant", "So.")]


def test_the_empty_answer_is_an_answer():
    assert said(rollout(prompt="Why?", response="")) == [("assistant", "")]


@pytest.mark.parametrize(
    ("response", "kind"),
    [(None, "null"), (True, "a boolean"), (3, "a number"), ({"a": 1}, "an object"), ([3], "a num")],
)
def test_what_is_no_text_is_no_answer(response, kind):
    with pytest.raises(RowError, match=f"is {kind}.*, and an answer is a text or messages"):
        rollout(prompt="Why?", response=response)


def test_a_null_response_is_not_replaced_by_another_column():
    with pytest.raises(RowError, match="response is null"):
        rollout(prompt="Why?", response=None, answer="the gold answer")


def test_a_row_without_a_response_names_the_columns_it_has():
    with pytest.raises(MissingColumn, match="found: prompt, gold"):
        rollout(prompt="Why?", gold="So.")


def test_several_answers_are_several_rollouts_and_a_bad_one_is_told_by_place():
    first, second, third = rollouts(id="a", prompt_id="p", responses=["A.", None, "C."])

    assert (said(first), said(third)) == ([("assistant", "A.")], [("assistant", "C.")])
    assert (first.external_id, third.external_id) == ("a#1", "a#3")
    assert second.reason.startswith("responses 2 is null")


def test_an_empty_list_of_answers_is_refused():
    with pytest.raises(RowError, match="responses is an empty list"):
        rollouts(prompt="Why?", responses=[])


def test_a_conversation_is_split_after_its_last_user_turn():
    call = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f"}}]}
    result = {"role": "tool", "content": "3"}

    value = rollout(messages=[USER, SAID, USER, call, result, SAID])

    assert [role for role, _text in said(value)] == ["tool_call", "tool_result", "assistant"]
    assert value.whose.texts == ["Why?"]


def test_a_conversation_without_an_answer_is_refused():
    with pytest.raises(RowError, match="no answer after the last user turn"):
        rollout(messages=[SAID, USER])


@pytest.mark.parametrize("response", [[SAID], SAID, [SAID, {"role": "tool", "content": "x"}]])
def test_an_answer_may_be_typed_messages(response):
    assert said(rollout(prompt=[USER], completion=response))[0] == ("assistant", "So.")


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content", "thinking"])
def test_reasoning_of_its_own_comes_before_the_answer(name):
    value = rollout(prompt="Why?", response="So.", **{name: "Hm."})

    assert said(value) == [("reasoning", "Hm."), ("assistant", "So.")]


def test_reasoning_inside_the_text_is_left_there():
    text = "<think>Hm.</think>So."

    assert said(rollout(prompt="Why?", response=text)) == [("assistant", text)]


def test_a_dump_of_verl_is_read():
    value = rollout(
        input="system\nBe brief.\nuser\nWhy?\nassistant\n", output="So.", gts="x", score=0.5, step=3
    )

    assert value.whose.texts[1] == "Why?"
    assert (value.reward, value.step, value.columns) == (0.5, 3, {"gts": "x"})


@pytest.mark.parametrize(
    ("values", "policy"),
    [
        ({"policy": "p", "model": "m"}, "p"),
        ({"model": "m"}, "m"),
        ({"system": "s"}, "s"),
        ({"system": "You are\nhelpful."}, "default"),
        ({"model": {"name": "m"}}, "default"),
        ({"model": " "}, "default"),
        ({"policy": "x" * 201}, "default"),
        ({}, "default"),
    ],
)
def test_a_column_names_the_policy_if_its_value_can_be_a_name(values, policy):
    assert rollout(prompt="Why?", response="So.", **values).policy == policy


@pytest.mark.parametrize("step", [3, 3.0, "3"])
def test_a_step_is_a_whole_number(step):
    assert rollout(prompt="Why?", response="So.", step=step).step == 3


@pytest.mark.parametrize("step", [-1, 1.5, True, "final", 2**31, [1]])
def test_a_step_that_is_none_is_refused(step):
    with pytest.raises(RowError, match="a step is a whole number from 0"):
        rollout(prompt="Why?", response="So.", step=step)


@pytest.mark.parametrize(
    ("values", "reward", "columns"),
    [
        ({"reward": 1, "score": 2}, 1.0, {"score": 2}),
        ({"score": 0}, 0.0, {}),
        ({"score": True}, None, {"score": True}),
        ({"score": {"a": 1}}, None, {"score": {"a": 1}}),
        ({"score": 10**400}, None, {"score": 10**400}),
        ({"acc": 0.5, "length": 7}, None, {"acc": 0.5, "length": 7}),
    ],
)
def test_the_trainers_number_is_apart_and_all_others_are_columns(values, reward, columns):
    value = rollout(prompt="Why?", response="So.", **values)

    assert (value.reward, value.columns) == (reward, columns)


def test_the_numbers_of_a_table_are_numbers():
    value = rollout(table=True, prompt="Why?", response="7", score="0.5", step="2", acc="1")

    assert said(value) == [("assistant", "7")]
    assert (value.reward, value.step, value.columns) == (0.5, 2, {"acc": 1})


@pytest.mark.parametrize(
    ("values", "truncated"),
    [
        ({"truncated": True}, True),
        ({"truncated": False, "finish_reason": "length"}, False),
        ({"finish_reason": "length"}, True),
        ({"finish_reason": "stop"}, False),
        ({}, False),
    ],
)
def test_a_truncated_answer_is_marked(values, truncated):
    assert rollout(prompt="Why?", response="So.", **values).truncated is truncated


def test_a_checkpoint_is_a_short_text():
    assert rollout(prompt="Why?", response="So.", checkpoint=500).checkpoint == "500"
    with pytest.raises(RowError, match="more than 200 characters"):
        rollout(prompt="Why?", response="So.", checkpoint="x" * 201)


@pytest.mark.parametrize(
    ("values", "key", "maybe", "external"),
    [
        ({"prompt_id": 7}, "7", None, None),
        ({"prompt_id": 7, "id": "r1"}, "7", "r1", "r1"),
        ({"id": "x"}, None, "x", None),
        ({"id": "x", "rollout_id": "r1"}, None, "x", "r1"),
    ],
)
def test_ids_of_prompts_and_of_rollouts_are_told_apart(values, key, maybe, external):
    value = rollout(prompt="Why?", response="So.", **values)

    assert value.whose == (key, maybe, ["Why?"])
    assert value.external_id == external


def test_a_prompt_that_is_no_text_is_just_a_column():
    value = rollout(prompt_id=1, input=[101, 102], response="So.")

    assert (value.whose.texts, value.columns) == ([], {"input": [101, 102]})


def test_a_person_may_name_the_columns():
    value = rollout(
        mapped=(("response", "Story"), ("policy", "Writer")), prompt="Why?", Story="So.", Writer="w"
    )

    assert (said(value), value.policy, value.columns) == ([("assistant", "So.")], "w", {})


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("<|im_start|>user\nOne?<|im_end|>\n<|im_start|>user\nWhy?<|im_end|>\n", "Why?"),
        ("<|start_header_id|>user<|end_header_id|>\n\nWhy?<|eot_id|>", "Why?"),
        ("<start_of_turn>user\nWhy?<end_of_turn>\n<start_of_turn>model\n", "Why?"),
        ("<s>[INST] Why? [/INST]", " Why? "),
        ("<|user|>\nWhy?<|end|>\n<|assistant|>\n", "Why?\n".strip()),
        ("system\nBe.\nuser\nOne?\nassistant\nSo.\nuser\nWhy?\nassistant\n", "Why?"),
        ("user\n\nWhy?assistant\n\n", None),
        ("user\nWhy?\nassistant\n<think>\n", "Why?"),
        ("Why does the user\nask the assistant?", None),
    ],
)
def test_the_last_user_turn_is_found_inside_a_chat_template(text, inner):
    assert unwrapped(text) == inner
