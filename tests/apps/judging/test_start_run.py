"""Which rollouts a run takes, what it pins and how many verdicts it expects."""

import pytest

from apps.activity.errors import BadInput, Blocked
from apps.calls.models import ModelRole
from apps.judging import services
from apps.judging.models import JudgeRun, RunRollout
from apps.judging.services.judges import check_same_judge
from apps.specs.models import Spec
from rubricstudio.core.parsing import PARSER, THINKING
from tests import factories

pytestmark = pytest.mark.django_db


def test_a_run_expects_each_criterion_and_one_global_score_of_each_rollout(fill, use_model):
    use_model()
    project = fill(prompts=2, rollouts=3, criteria=4)

    started = services.start_run(project=project, samples=2)

    # (4 criteria + 1 global) x 6 rollouts x 2 samples
    assert started.run.expected == 60
    assert started.notice == ""


def test_shards_hold_all_cells_of_the_run(fill, use_model, settings):
    settings.SHARD_ROLLOUTS = 4
    use_model()
    project = fill(prompts=3, rollouts=3, criteria=1)

    run = services.start_run(project=project).run

    # 9 rollouts of 2 cells each, in shards of 4 rollouts
    assert list(run.shards.order_by("position").values_list("cells", flat=True)) == [8, 8, 2]


def test_a_run_pins_the_newest_spec_version_of_each_prompt(fill, use_model):
    use_model()
    project = fill(criteria=1)
    prompt = project.prompts.get()
    newest = factories.make_spec(prompt, "One.", "Two.", "Three.")

    run = services.start_run(project=project).run
    factories.make_spec(prompt, "Saved after the run was started.")

    assert RunRollout.objects.get(run=run).spec == newest
    assert run.expected == 4


def test_rollouts_whose_prompt_has_no_spec_are_left_out_with_a_sentence(fill, use_model):
    use_model()
    project = fill()
    bare = factories.make_prompt(project, "No spec for this one.")
    lacking = factories.make_rollout(bare)

    started = services.start_run(project=project)

    assert started.not_judged == 1
    assert started.notice == (
        f"1 rollout is not judged: its prompt has no spec (rollout {lacking.number}). "
        "Make specs first."
    )


def test_a_limit_takes_the_first_rollouts_and_prefers_those_with_criteria(fill, use_model):
    use_model()
    project = fill(prompts=0)
    bare = factories.make_prompt(project, "Only checkers answer this one.")
    Spec.objects.create(
        prompt_revision=factories.newest(bare), version=1, spec_id="0" * 64, line="{}"
    )
    factories.make_rollout(bare)
    rubric = factories.make_prompt(project, "This one has a rubric.")
    factories.make_spec(rubric, "One.")
    group = factories.make_group(rubric)
    first, second, _third = (factories.make_rollout(rubric, group=group) for _ in range(3))

    run = services.start_run(project=project, limit=2).run

    assert set(run.run_rollouts.values_list("rollout", flat=True)) == {first.pk, second.pk}


def test_nothing_to_judge_is_refused_with_what_to_do(use_model):
    use_model()

    with pytest.raises(BadInput, match="import rollouts first"):
        services.start_run(project=factories.make_project())


def test_a_run_without_a_judge_is_refused(fill):
    project = fill()

    with pytest.raises(Blocked, match="No model is set for the role judge"):
        services.start_run(project=project)

    assert not JudgeRun.objects.exists()


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"limit": 0}, "limit is 0"),
        ({"samples": 0}, "samples is 0"),
        ({"output_mode": "essay"}, "use one of explained, label"),
        ({"rollouts": []}, "The list of rollouts is empty"),
        ({"rollouts": [1, 99]}, "no rollout 99"),
    ],
)
def test_bad_wishes_get_a_sentence(fill, use_model, values, sentence):
    use_model()
    project = fill()

    with pytest.raises(BadInput, match=sentence):
        services.start_run(project=project, **values)


def test_how_the_judge_is_sampled_with_and_without_thinking_is_part_of_who_it_is(fill, use_model):
    use_model()
    project = fill()
    run = services.start_run(project=project).run

    role = ModelRole.objects.get(role="judge")
    role.sampling = {**role.sampling, "without_thinking": {"temperature": 0.8}}
    role.save()

    before = run.judge["judge"]["sampling"]
    assert (before["version"], before["without_thinking"]) == (1, None)
    with pytest.raises(Blocked, match=r"judge\.sampling\.without_thinking"):
        check_same_judge(run)


def test_a_setting_that_a_run_could_not_name_yet_is_a_change_when_it_is_set(fill, use_model):
    use_model()
    run = services.start_run(project=fill()).run
    del run.judge["judge"]["sampling"]["without_thinking"]
    unset = check_same_judge(run)
    for role in ModelRole.objects.all():
        role.sampling = {**role.sampling, "without_thinking": {"temperature": 0.8}}
        role.save()

    assert unset.whole["judge"]["sampling"]["without_thinking"] is None
    with pytest.raises(Blocked, match="without_thinking"):
        check_same_judge(run)


def test_the_judge_is_pinned_whole_with_its_hash(fill, use_model):
    use_model()

    run = services.start_run(project=fill()).run

    assert run.judge["judge"]["model"] == "judge"
    assert (run.judge["parser"], run.judge["thinking"]) == (PARSER, THINKING)
    assert {"sampling", "template_sha256", "weights_revision"} <= set(run.judge["global"])
    assert len(run.judge_sha256) == 64
