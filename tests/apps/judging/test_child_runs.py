"""Asking again what failed: a child run asks only that, and its parent counts for the rest."""

import pytest

from apps.activity.errors import BadInput, Blocked, Conflict
from apps.calls.models import ModelRole
from apps.judging import selectors, services
from apps.judging.models import JudgeRun, Verdict
from tests.apps.judging.conftest import carry

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_slots")]


@pytest.fixture
def half_failed(started, stub):
    """A run of twelve cells some of which have failed, on a server that is well again."""
    run = started(prompts=2, rollouts=2, criteria=2)
    stub.configure(faults={"http_500": 0.6})
    carry(run)
    stub.configure(faults={})
    progress = selectors.progress_of(run)
    assert progress.scored > 0 < progress.failed
    return run


def child_of(run):
    child = services.start_child_run(parent=run)
    assert child is not None
    return child


def test_a_child_run_expects_only_what_failed(half_failed):
    failed = selectors.progress_of(half_failed).failed

    child = child_of(half_failed)

    assert (child.parent, child.scope, child.expected) == (half_failed, "failed", failed)


def test_with_its_child_a_run_has_one_verdict_for_each_cell(half_failed):
    child = carry(child_of(half_failed))

    merged = list(selectors.verdicts_of(child))
    assert {verdict.state for verdict in merged} == {"scored"}
    assert len(merged) == half_failed.expected
    assert {verdict.run_id for verdict in merged} == {half_failed.pk, child.pk}


def test_nothing_of_the_parent_is_overwritten(half_failed):
    before = list(Verdict.objects.filter(run=half_failed).order_by("pk").values())

    carry(child_of(half_failed))

    assert list(Verdict.objects.filter(run=half_failed).order_by("pk").values()) == before


def test_what_a_cancelled_run_never_asked_is_asked_by_its_child(started):
    run = started(criteria=2)
    services.cancel_run(run=run)

    child = carry(child_of(run))

    assert child.expected == run.expected == selectors.progress_of(child).scored


def test_a_second_child_continues_the_first(half_failed, stub):
    stub.configure(faults={"http_500": 1.0})
    first = carry(child_of(half_failed))
    stub.configure(faults={})

    second = carry(child_of(half_failed))

    assert second.parent == first
    assert selectors.verdicts_of(second).filter(state="scored").count() == half_failed.expected


def test_without_failed_cells_there_is_no_child(started):
    run = carry(started())

    assert services.start_child_run(parent=run) is None


def test_an_open_run_has_no_child(started):
    run = started()

    with pytest.raises(Conflict, match="is not over yet"):
        services.start_child_run(parent=run)


def test_another_judge_does_not_finish_the_work_of_this_one(half_failed):
    ModelRole.objects.filter(role="global").update(weights_revision="another")

    with pytest.raises(Blocked, match="start a new run"):
        services.start_child_run(parent=half_failed)


def test_an_unknown_scope_is_refused(half_failed):
    with pytest.raises(BadInput, match="use failed"):
        services.start_child_run(parent=half_failed, scope="bad")

    assert JudgeRun.objects.count() == 1
