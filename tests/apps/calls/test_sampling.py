from dataclasses import astuple

import pytest

from apps.activity.errors import BadInput
from apps.calls.models import ModelRole
from apps.calls.services.sampling import default_sampling, read_sampling
from rubricstudio.llm.client import Thinking


@pytest.mark.parametrize(
    ("model", "thinking", "plain"),
    [
        # Paper 000, Table 7: temperature, top_p, top_k, presence penalty.
        ("Qwen/Qwen3-4B", (0.6, 0.95, 20, None), (0.7, 0.95, 20, None)),
        ("Qwen3-30B-A3B-Instruct-2507", (0.7, 0.95, 20, None), (0.7, 0.95, 20, None)),
        ("Qwen/Qwen3.5-35B-A3B", (1.0, 0.95, 20, 1.5), (0.8, 0.8, 20, 1.5)),
        ("gpt-5-2025-08-07", (1.0, None, None, None), (1.0, None, None, None)),
    ],
)
def test_a_known_family_is_sampled_as_the_paper_does(model, thinking, plain):
    sampling = default_sampling("judge", model=model).for_client()

    assert astuple(sampling.drawing(True)) == thinking
    assert astuple(sampling.drawing(False)) == plain


def test_a_role_may_have_numbers_of_its_own_for_when_it_does_not_think():
    role = ModelRole(
        role="judge", sampling={"temperature": 0.9, "without_thinking": {"temperature": 0.1}}
    )

    sampling = read_sampling(role).for_client()

    assert [sampling.drawing(switch).temperature for switch in (True, False, None)] == [
        0.9,
        0.1,
        0.9,
    ]


def test_numbers_without_thinking_that_do_not_hold_are_named():
    role = ModelRole(role="judge", sampling={"without_thinking": {"top_p": 2}})

    with pytest.raises(BadInput, match=r"without_thinking\.top_p"):
        read_sampling(role)


def test_a_judge_thinks_by_weight_and_the_other_roles_always():
    roles = ("judge", "global", "rubric")

    thinking = [default_sampling(role, model="Qwen3.5-35B-A3B").thinking for role in roles]

    assert thinking == [Thinking.BY_WEIGHT, Thinking.ALWAYS, Thinking.ALWAYS]


def test_a_model_that_does_not_think_gets_no_room_for_it():
    assert default_sampling("judge", model="Llama-3.1-8B").thinking is Thinking.NEVER


def test_the_embedded_model_writes_four_criteria_at_most():
    assert default_sampling("rubric", model="SmolLM2", embedded=True).most_criteria == 4


def test_a_writer_is_not_asked_the_same_again_after_an_unusable_answer():
    sampling = default_sampling("rubric", model="SmolLM2", embedded=True)

    # At temperature 0 every further attempt would give the same answer.
    assert (sampling.temperature, sampling.seed) == (0.7, 1)
