import pytest

from apps.calls.services.sampling import default_sampling
from rubricstudio.llm.client import Thinking


@pytest.mark.parametrize(
    ("model", "numbers"),
    [
        # Paper 000, Table 7: temperature, top_p, top_k, presence penalty.
        ("Qwen/Qwen3-4B", (0.6, 0.95, 20, None)),
        ("Qwen3-30B-A3B-Instruct-2507", (0.7, 0.95, 20, None)),
        ("Qwen/Qwen3.5-35B-A3B", (1.0, 0.95, 20, 1.5)),
        ("gpt-5-2025-08-07", (1.0, None, None, None)),
    ],
)
def test_a_known_family_is_sampled_as_the_paper_does(model, numbers):
    sampling = default_sampling("judge", model=model)

    assert numbers == (
        sampling.temperature,
        sampling.top_p,
        sampling.top_k,
        sampling.presence_penalty,
    )


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
