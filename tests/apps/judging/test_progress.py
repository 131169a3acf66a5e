"""The numbers of a run: always a partition of what it expects."""

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from apps.judging import selectors, services
from apps.judging.models import JudgeRun
from apps.judging.selectors import Cell
from apps.judging.services import shards
from apps.judging.services.storing import VerdictRow, insert_verdicts
from rubricstudio.core.types import FailureCause, UnscoredReason
from tests import factories

pytestmark = pytest.mark.django_db


def make_run(fill, **values):
    """A run of one shard over two rollouts of three cells each."""
    project = fill(rollouts=2, criteria=2)
    run = factories.make_run(project, expected=6, **values)
    spec = project.prompts.get().current.specs.get()
    factories.make_shard(run, *((rollout, spec) for rollout in project.rollouts.all()))
    return run


def cells_of(run):
    return [one.cell for one in selectors.open_cells(run, shard_id=run.shards.get().pk)]


def rows_of(cells, kinds):
    makers = {
        "scored": lambda cell: VerdictRow(
            cell.rollout_id, cell.criterion_id, cell.sample, "scored", answer="yes", score=1.0
        ),
        "unscored": lambda cell: VerdictRow.unscored(cell, UnscoredReason.EMPTY, None),
        "failed": lambda cell: VerdictRow.failed(cell, FailureCause.TIMEOUT),
    }
    return [makers[kind](cell) for cell, kind in zip(cells, kinds, strict=False)]


def test_the_cells_of_a_response_stand_together_with_the_global_score_last(fill):
    run = make_run(fill)
    first, second = run.run_rollouts.order_by("pk").values_list("rollout", flat=True)
    one, two = run.run_rollouts.first().spec.criteria.values_list("pk", flat=True)

    assert cells_of(run) == [
        Cell(rollout, criterion, 0) for rollout in (first, second) for criterion in (one, two, None)
    ]


def test_a_criterion_that_no_judge_answers_is_no_cell(fill):
    run = make_run(fill)
    spec = run.run_rollouts.first().spec
    factories.make_criterion(spec, "Its column says so.", position=8, key="a", source="column")
    factories.make_criterion(spec, "Better than the other.", position=9, key="b", scale="pairwise")

    assert len(cells_of(run)) == 6


@hypothesis_settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    kinds=st.lists(st.sampled_from(["scored", "unscored", "failed"]), max_size=6),
    running=st.booleans(),
)
def test_the_states_sum_to_what_is_expected(fill, kinds, running):
    run = make_run(fill)
    if running:
        shards.claim_shard(shard_id=run.shards.get().pk, worker="a worker")
    insert_verdicts(run_id=run.pk, rows=rows_of(cells_of(run), kinds))

    told = selectors.progress_of(run)

    assert [told.scored, told.unscored, told.failed] == [
        kinds.count(kind) for kind in ("scored", "unscored", "failed")
    ]
    assert told.final + told.queued + told.running == told.expected == 6
    assert (told.queued if running else told.running) == 0


def test_what_a_cancelled_run_never_asked_has_failed(fill):
    run = make_run(fill)
    insert_verdicts(run_id=run.pk, rows=rows_of(cells_of(run), ["scored"]))

    services.cancel_run(run=run)

    told = selectors.progress_of(run)
    assert (told.scored, told.failed_by_cause) == (1, {"cancelled": 5})


def test_a_cell_that_has_a_row_keeps_it(fill):
    run = make_run(fill)
    cells = cells_of(run)
    insert_verdicts(run_id=run.pk, rows=rows_of(cells, ["failed"] * 6))

    new = insert_verdicts(run_id=run.pk, rows=rows_of(cells, ["scored"] * 6))

    assert new == 0
    assert selectors.progress_of(run).failed == 6


def test_progress_takes_the_same_few_queries_whatever_the_size(fill, django_assert_num_queries):
    run = make_run(fill)
    insert_verdicts(run_id=run.pk, rows=rows_of(cells_of(run), ["scored"] * 6))
    run = JudgeRun.objects.get(pk=run.pk)

    with django_assert_num_queries(4):
        selectors.progress_of(run)
