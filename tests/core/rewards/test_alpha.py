import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.errors import SettingsError
from rubricstudio.core.rewards import AlphaSchedule


@pytest.mark.parametrize(("step", "alpha"), [(0, 1.0), (200, 0.75), (800, 0.0), (900, 0.0)])
def test_a_linear_schedule_falls_to_zero_at_its_decay(step, alpha):
    assert AlphaSchedule.linear().at(step) == alpha


@pytest.mark.parametrize("step", [None, 0, 5000])
def test_a_constant_schedule_needs_no_step(step):
    assert AlphaSchedule.constant(0.5).at(step) == 0.5


@pytest.mark.parametrize(("step", "alpha"), [(0, 1.0), (99, 1.0), (100, 0.5), (400, 0.0)])
def test_a_stepped_schedule_takes_the_last_step_that_has_begun(step, alpha):
    assert AlphaSchedule.stepped([(100, 0.5), (300, 0.0)]).at(step) == alpha


@pytest.mark.parametrize("step", [None, -1, True])
def test_a_schedule_that_changes_refuses_to_guess_the_step(step):
    with pytest.raises(SettingsError, match="needs the step of its rollouts"):
        AlphaSchedule.linear().at(step)


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_a_linear_schedule_never_rises(first, second):
    schedule = AlphaSchedule.linear()

    assert schedule.at(max(first, second)) <= schedule.at(min(first, second))


@pytest.mark.parametrize(
    ("schedule", "reaches"),
    [
        (AlphaSchedule.constant(), False),
        (AlphaSchedule.constant(0), True),
        (AlphaSchedule.linear(), True),
        (AlphaSchedule.stepped([(1, 0.5)]), False),
        (AlphaSchedule.stepped([(1, 0)]), True),
    ],
)
def test_a_schedule_knows_whether_it_reaches_zero(schedule, reaches):
    assert schedule.reaches_zero is reaches


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"kind": "cosine"}, "the kind of alpha is 'cosine'"),
        ({"value": -0.1}, "alpha is -0.1; it has to be 0 or more"),
        ({"decay": 0}, "the decay of alpha is 0; it has to be 1 or more"),
        ({"kind": "step"}, "steps exactly when its kind is step"),
        ({"steps": [(1, 1.0)]}, "steps exactly when its kind is step"),
        ({"kind": "step", "steps": [(5, 1.0), (5, 0.5)]}, "each has to begin later"),
        ({"kind": "step", "steps": [(0.5, 1.0)]}, "a step of alpha begins at 0.5"),
        ({"kind": "step", "steps": [(1, -1)]}, "alpha is -1"),
    ],
)
def test_a_wrong_schedule_is_refused_with_a_sentence(changes, sentence):
    with pytest.raises(SettingsError, match=sentence):
        AlphaSchedule(**changes)
