"""The flow strip: how much, how far, what blocks, and how to go on."""

import pytest
from django.db import connection

from apps.accounts.models import Role
from apps.studio.selectors import changed_since, flow_of, next_act, standing
from tests.factories import (
    make_bundle,
    make_import,
    make_member,
    make_project,
    make_prompt,
    make_reward_run,
    make_rollout,
    make_run,
    make_shard,
    make_spec,
    make_verdict,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project("tides")


def steps_of(project):
    return standing(project, make_member(project, Role.AUTHOR)).steps


def cells(project):
    return {one.step.key: one for one in flow_of(project, steps_of(project))}


def said(cell):
    return (cell.figure, cell.unit, round(cell.share, 3), cell.why)


def test_an_empty_project_is_told_how_to_begin(project):
    found = cells(project)

    assert said(found["prompts"]) == ("0", "prompts", 0, "Import a file to begin")
    assert said(found["bundles"])[3] == "Waits for the steps before it"
    assert [key for key, cell in found.items() if cell.blocks] == ["prompts"]
    act = next_act(project, steps_of(project))
    assert act is not None
    assert act.label == "Import prompts"


def test_specs_are_counted_by_their_newest_version(project):
    first, second, third = (make_prompt(project) for _ in range(3))
    make_spec(first)
    make_spec(first, state="in_review")
    make_spec(second)
    make_prompt(project)
    approved = make_spec(third)
    reviewer = make_member(project, Role.REVIEWER)
    type(approved).objects.filter(pk=approved.pk).update(
        state="candidate", approved_by=reviewer, approved_at=approved.created_at
    )

    assert said(cells(project)["specs"]) == (
        "1",
        "approved of 3",
        0.333,
        "1 in review, 1 draft, 1 prompt without one",
    )


def test_states_are_counted_by_an_index_that_holds_them():
    # Which plan is chosen depends on how full the table is; this index alone can answer it.
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_indexdef('specs_one_version_per_revision'::regclass)")
        (definition,) = cursor.fetchone()

    assert "UNIQUE" in definition
    assert definition.endswith("(prompt_revision_id, version) INCLUDE (state)"), definition


def test_prompts_without_a_licence_are_told(project):
    make_prompt(project, source=make_import(project, licence="CC-BY-4.0"))
    make_prompt(project)

    assert said(cells(project)["prompts"]) == ("2", "in 2 files", 1, "1 file has no licence")


def test_a_run_tells_its_share_and_why_it_stands_still(project):
    prompt = make_prompt(project)
    rollout, spec = make_rollout(prompt), make_spec(prompt)
    run = make_run(project, expected=8, state="paused", block_reason="No quota.")
    make_shard(run, (rollout, spec), state="done")

    cell = cells(project)["runs"]

    # One criterion and the global score are two of eight cells.
    assert said(cell) == ("25.0 %", "of 8 cells of run 1", 0.25, "Run 1 is paused: No quota.")
    assert cell.blocks


def test_rewards_tell_their_mean_and_how_many_have_none(project):
    summary = {"rewards": 174, "unscored": 98, "mean": 0.8161}
    make_reward_run(make_run(project), summary=summary)

    assert said(cells(project)["rewards"]) == (
        "0.816",
        "mean, n = 174, run 1",
        0.64,
        "98 rollouts have none",
    )


def test_the_strip_takes_few_queries_whatever_the_project_holds(
    project, django_assert_max_num_queries
):
    for _ in range(5):
        prompt = make_prompt(project)
        make_spec(prompt)
        make_rollout(prompt)
        make_reward_run(make_run(project))
    make_bundle(project)
    steps = steps_of(project)

    with django_assert_max_num_queries(8):
        flow_of(project, steps)


def test_what_changed_since_a_bundle_is_counted(project):
    kept, changed, gone, new = (make_prompt(project) for _ in range(4))
    bundle = make_bundle(project)
    old = {}
    for position, prompt in enumerate((kept, changed, gone)):
        old[prompt] = make_spec(prompt)
        bundle.bundle_specs.create(spec=old[prompt], position=position)
    run = make_run(project)
    make_verdict(run, make_rollout(changed), old[changed].criteria.get())
    make_verdict(run, make_rollout(kept), old[kept].criteria.get())
    make_spec(changed, "Names the Sun as well.")
    make_spec(new)
    type(gone).objects.filter(pk=gone.pk).update(archived_at=gone.created_at)

    since = changed_since(project, bundle)

    assert (since.changed, since.new, since.retired, since.stale) == (1, 1, 1, 1)
