"""How fast a run goes, and how its line is drawn."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import cache

from apps.judging import charts, selectors
from apps.judging.selectors import Pace, Rate, reports
from tests.apps.judging.conftest import carry
from tests.factories import make_project, make_run

BEGIN = datetime(2026, 1, 1, 12, tzinfo=UTC)


def pace(*counts, seconds=10.0):
    last = BEGIN + timedelta(seconds=seconds * (len(counts) - 1))
    return Pace(BEGIN, seconds, counts, last, Rate(sum(counts), seconds * len(counts)))


def test_what_is_left_has_a_range_by_how_much_was_asked():
    # 400 +- 1.96 * 20 calls in 100 s
    expected = (800 * 100 / 439.2, 800 * 100 / 360.8)

    assert Rate(calls=400, seconds=100).left(800) == pytest.approx(expected)


def test_three_calls_are_too_few_to_tell():
    assert Rate(calls=3, seconds=10).left(100) is None


@pytest.mark.django_db
@pytest.mark.usefixtures("own_slots")
def test_the_pace_counts_every_call_of_the_run(started):
    run = started(rollouts=3, criteria=2)
    assert selectors.pace_of(run) is None

    run = carry(run)

    found = selectors.pace_of(run)
    assert found is not None
    assert sum(found.counts) == found.rate.calls == 9


def test_the_line_runs_from_the_first_to_the_last_stretch():
    chart = charts.pace_chart(pace(0, 50, 100))

    # 0, 5 and 10 a second under a top of 10, in a drawing of 400 by 108
    assert chart.points == "0.0,108.0 200.0,54.0 400.0,0.0"
    assert [tick.label for tick in chart.ticks] == ["10", "5", "0"]


def test_a_stop_is_drawn_where_it_was():
    assert charts.pace_chart(pace(1, 1, 1, 1), stopped=BEGIN + timedelta(seconds=20)).stop == 200
    assert charts.pace_chart(pace(1, 1), stopped=BEGIN - timedelta(days=1)).stop is None


def test_the_table_has_a_dozen_rows_at_most():
    rows = charts.pace_chart(pace(*range(70))).rows

    assert len(rows) == 12
    # the mean of 0 to 5 calls in 10 s
    assert rows[0] == (BEGIN, 0.25)


@pytest.mark.parametrize(
    ("largest", "top"), [(0, 1), (0.03, 0.05), (1, 1), (1.1, 2), (7, 10), (312, 500)]
)
def test_the_top_of_the_axis_is_a_round_number(largest, top):
    assert charts.nice_top(largest) == pytest.approx(top)


@pytest.mark.django_db
@pytest.mark.parametrize(("took", "rests"), [(0.01, 5), (2.0, 40)])
def test_what_took_long_to_sum_up_is_asked_for_less_often(monkeypatch, took, rests):
    clock = iter((100.0, 100.0 + took))
    monkeypatch.setattr(reports, "monotonic", lambda: next(clock))
    kept: dict[str, float] = {}
    monkeypatch.setattr(cache, "set", lambda key, value, seconds: kept.update(at=seconds))

    selectors.report_of_run(make_run(make_project()))

    assert kept["at"] == pytest.approx(rests)
