"""The matrix of a group, made from what is stored about it."""

import pytest

from apps.judging.models import Verdict
from apps.rewards import services as rewards
from apps.studio.matrix import build_matrix, choose_basis, flow_without, scene_of
from apps.studio.matrix.columns import short_name
from rubricstudio.core.rewards import GLOBAL_KEY
from rubricstudio.core.types import Criterion, Polarity
from tests import factories
from tests.apps.rewards.world import checked, judged, outcomes, save_spec, say, words_at_most

pytestmark = pytest.mark.django_db

RUBRIC = (
    Criterion("names_the_moon", "Names the Moon as the cause.", 3, bucket="accuracy"),
    Criterion("no_jargon", "Uses no word that one would have to look up.", 1, essential=True),
)


@pytest.fixture
def project():
    return factories.make_project("tides")


@pytest.fixture
def group(project):
    return factories.make_group(factories.make_prompt(project))


@pytest.fixture
def rollouts(group):
    prompt = group.prompt_revision.prompt
    return [factories.make_rollout(prompt, f"Answer {at}.", group=group) for at in range(3)]


def matrix_of(group, *, key="", **chosen):
    basis = choose_basis(group.prompt_revision.prompt.project, **chosen)
    return build_matrix(scene_of(group, basis), key=key)


def judge(project, rollouts, *answers, overall=5.0, **values):
    """A run with a pair of answers a rollout: to names_the_moon and to no_jargon."""
    run = judged(project, **values)
    for rollout, pair in zip(rollouts, answers, strict=True):
        said = dict(zip(("names_the_moon", "no_jargon"), pair, strict=True))
        say(run, rollout, {key: one for key, one in said.items() if one}, overall=overall)
    return run


def test_rows_are_by_reward_and_columns_by_what_hangs_on_them(project, group, rollouts):
    save_spec(group.prompt_revision.prompt, RUBRIC)
    judge(project, rollouts, ("no", "yes"), ("yes", "no"), ("part", "part"))

    found = matrix_of(group)

    # .25, .75 and .5 of the rubric, .5 of the global score
    assert [row.label for row in found.rows] == ["r2", "r3", "r1"]
    assert [row.reward for row in found.rows] == pytest.approx([0.625, 0.5, 0.375])
    assert [row.rank for row in found.rows] == [1, 2, 3]
    # without the first all three orders turn round; without the others none changes
    assert [(one.key, one.changed) for one in found.columns] == [
        ("names_the_moon", 3),
        ("no_jargon", 0),
        (GLOBAL_KEY, 0),
    ]
    assert found.pairs == 3


def test_a_bar_is_what_each_component_adds(project, group, rollouts):
    save_spec(group.prompt_revision.prompt, RUBRIC)
    judge(project, rollouts, ("yes", "yes"), ("no", "no"), ("no", "no"))

    best = matrix_of(group).rows[0]

    assert [(part.component.value, part.begin, part.width) for part in best.parts] == [
        ("rubric", 0, 0.5),
        ("global", 0.5, 0.25),
    ]


def test_one_missing_verdict_drops_its_column_for_the_whole_group(project, group, rollouts):
    save_spec(group.prompt_revision.prompt, RUBRIC)
    judge(project, rollouts, ("yes", "yes"), ("no", "truncated"), ("no", "yes"))

    found = matrix_of(group)
    column = found.column("no_jargon")

    assert column == found.columns[-1]
    assert (column.state, column.changed, column.mean) == ("dropped", None, None)
    assert column.why == "Dropped for the whole group: r2 (unscored: truncated)."
    assert all(row.cells[-1].faded for row in found.rows)
    assert found.rows[0].reward == pytest.approx(0.75)


def test_a_cell_has_its_verdict_behind_it(project, group, rollouts):
    save_spec(group.prompt_revision.prompt, RUBRIC)
    run = judge(project, rollouts, ("yes", "part"), ("no", "timeout"), ("no", None))

    found = matrix_of(group)
    rows = {
        row.label: dict(zip([one.key for one in found.columns], row.cells, strict=True))
        for row in found.rows
    }

    assert rows["r1"]["names_the_moon"].kind == "yes"
    assert rows["r1"]["no_jargon"].kind == "part"
    assert rows["r1"][GLOBAL_KEY].word == "5"
    assert (rows["r2"]["no_jargon"].kind, rows["r2"]["no_jargon"].word) == (
        "failed",
        "Failed: timeout",
    )
    assert (rows["r3"]["no_jargon"].kind, rows["r3"]["no_jargon"].address) == ("queued", "")
    verdict = Verdict.objects.get(run=run, rollout=rollouts[0], criterion__key="no_jargon")
    assert rows["r1"]["no_jargon"].address == str(verdict.pk)


def test_what_is_not_wanted_is_good_when_it_is_absent(project, group, rollouts):
    lie = Criterion("lies", "It lies.", polarity=Polarity.NEGATIVE)
    save_spec(group.prompt_revision.prompt, (lie,))
    run = judged(project)
    for rollout, answer in zip(rollouts, ("yes", "no", "part"), strict=True):
        say(run, rollout, {"lies": answer}, overall=5)

    found = matrix_of(group)

    at = [one.key for one in found.columns].index("lies")
    told = {row.label: (row.cells[at].kind, row.cells[at].word) for row in found.rows}
    assert told == {
        "r1": ("no", "Present"),
        "r2": ("yes", "Absent"),
        "r3": ("part", "Partly present"),
    }


def test_repeats_are_one_cell_with_their_mean(project, group, rollouts):
    save_spec(group.prompt_revision.prompt, RUBRIC[:1])
    run = judged(project, samples=2)
    for sample, answer in enumerate(("yes", "no")):
        for rollout in rollouts:
            say(run, rollout, {"names_the_moon": answer}, overall=5, sample=sample)

    cell = matrix_of(group).rows[0].cells[0]

    assert (cell.kind, cell.word) == ("part", "Part, mean of 2")


def test_verdicts_on_an_older_text_are_stale_and_do_not_count(project, group, rollouts):
    prompt = group.prompt_revision.prompt
    save_spec(prompt, RUBRIC[:1])
    run = judged(project)
    for rollout in rollouts:
        say(run, rollout, {"names_the_moon": "yes"}, overall=5)
    save_spec(prompt, (Criterion("names_the_moon", "Names the Moon and the Sun.", 3),))

    found = matrix_of(group)

    assert found.stale == 3
    assert found.column("names_the_moon").state == "dropped"
    assert found.rows[0].cells[-1].kind == "stale"


def test_checkers_are_columns_too(project, group, rollouts):
    save_spec(group.prompt_revision.prompt, constraints=words_at_most(5))
    checks = checked(project)
    for rollout, result in zip(rollouts, ("passed", "failed", "unavailable"), strict=True):
        outcomes(checks, rollout, result)

    found = matrix_of(group)

    column = found.column("1:word_count")
    assert (column.label, column.hard, column.state) == ("K1", True, "dropped")
    assert {row.label: row.cells[0].kind for row in found.rows} == {
        "r1": "yes",
        "r2": "no",
        "r3": "unscored",
    }
    assert found.rows[0].cells[0].address.startswith("check-")


def test_who_fails_an_essential_criterion_above_others_is_an_inversion(project, group, rollouts):
    save_spec(group.prompt_revision.prompt, RUBRIC)
    judge(project, rollouts, ("yes", "no"), ("part", "yes"), ("no", "yes"))

    found = matrix_of(group)

    (told,) = found.inversions
    assert (told.column.key, told.row.label) == ("no_jargon", "r1")
    assert [(row.label, round(distance, 3)) for row, distance, _cell in told.over] == [
        ("r2", -0.062),
        ("r3", -0.25),
    ]
    assert [(row.inverted, row.bracket) for row in found.rows] == [
        (True, "from"),
        (False, "over"),
        (False, "last"),
    ]


def test_the_way_of_a_group_without_a_column(project, group, rollouts):
    save_spec(group.prompt_revision.prompt, RUBRIC)
    judge(project, rollouts, ("no", "yes"), ("yes", "no"), ("part", "part"))

    flow = flow_without(scene_of(group, choose_basis(project)), "names_the_moon")

    assert flow is not None
    assert (flow.changed, flow.pairs, flow.winner_stays) == (3, 3, False)
    assert [line.label for line in flow.before] == ["r2", "r3", "r1"]
    assert [(line.label, line.moves) for line in flow.after] == [
        ("r1", True),
        ("r3", False),
        ("r2", True),
    ]


def test_without_evidence_the_rollouts_are_by_number(group, rollouts):
    save_spec(group.prompt_revision.prompt, RUBRIC)

    found = matrix_of(group)

    assert [row.label for row in found.rows] == ["r1", "r2", "r3"]
    assert not found.has_rewards
    assert {cell.kind for row in found.rows for cell in row.cells} == {"queued"}


def test_without_a_spec_there_are_rows_and_a_reason(group, rollouts):
    found = matrix_of(group)

    assert (len(found.rows), found.columns) == (3, ())
    assert found.problem == "Its prompt has no spec."


def test_a_group_of_one_has_no_order(project, group, rollouts):
    prompt = factories.make_prompt(project, "Alone?")
    save_spec(prompt, RUBRIC)
    rollout = factories.make_rollout(prompt)
    judge(project, [rollout], ("yes", "no"))

    found = matrix_of(rollout.group)

    assert (found.pairs, len(found.rows)) == (0, 1)
    assert found.rows[0].reward == pytest.approx((0.75 + 0.5) / 2)


def test_the_newest_reward_run_is_the_basis_and_others_can_be_named(project, group, rollouts):
    save_spec(group.prompt_revision.prompt, RUBRIC)
    first = judge(project, rollouts, ("yes", "yes"), ("no", "no"), ("no", "no"))
    config = rewards.config_named(project=project, name="default")
    rewards.compute_rewards(project=project, config=config, judge_run=first)
    second = judge(project, rollouts, ("no", "no"), ("yes", "yes"), ("no", "no"))
    rewards.compute_rewards(project=project, config=config, judge_run=second)

    assert choose_basis(project).judge_run == second
    assert choose_basis(project, reward="1").judge_run == first
    assert choose_basis(project, run=str(first.number)).judge_run == first
    assert matrix_of(group).rows[0].label == "r2"
    assert matrix_of(group, reward="1").rows[0].label == "r1"


def test_rewards_that_no_longer_hold_are_told(project, group, rollouts):
    prompt = group.prompt_revision.prompt
    save_spec(prompt, RUBRIC)
    judge(project, rollouts, ("yes", "no"), ("no", "no"), ("no", "no"))
    config = rewards.config_named(project=project, name="default")
    rewards.compute_rewards(project=project, config=config)
    assert not matrix_of(group).outdated

    save_spec(
        prompt, (Criterion("names_the_moon", RUBRIC[0].text, 1, bucket="accuracy"), RUBRIC[1])
    )

    assert matrix_of(group).outdated


@pytest.mark.parametrize(
    ("key", "text", "name"),
    [
        ("names_the_moon", "Names the Moon.", "Names the moon"),
        ("c4", "Gives no advice on changing, skipping or doubling a dose.", "Gives no advice on…"),
        ("c1", "Short.", "Short."),
        (
            "k",
            "海水之所以咸是因为河流把岩石中的盐分带入海洋而海洋只失去水",
            "海水之所以咸是因为河流把岩石中的盐分带入海洋而海…",
        ),
    ],
)
def test_a_column_is_called_by_its_key_where_that_speaks(key, text, name):
    assert short_name(key, text) == name
