"""Batches are made ready in a thread that ends with who uses them."""

import threading

import pytest

from apps.prompts.reading import RowError, open_source, recognise
from apps.prompts.services import pipeline


@pytest.fixture
def batches(save, monkeypatch):
    monkeypatch.setattr(pipeline, "BATCH_ROWS", 2)
    rows = [{"id": n} for n in range(9)]
    file = recognise(open_source(save(rows), limit=10**6))

    def of(make):
        return pipeline.batches(file, lambda row, batch: batch.ready.append(make(row)))

    return of


def test_rows_come_in_their_order_and_nothing_is_lost(batches):
    made = list(batches(lambda row: row.values["id"]))

    assert [batch.ready for batch in made] == [[0, 1], [2, 3], [4, 5], [6, 7], [8]]


def test_a_row_that_cannot_be_prepared_is_rejected_among_the_others(batches):
    def prepare(row):
        if row.values["id"] == 1:
            raise RowError("no ones")
        return row.values["id"]

    made = list(batches(prepare))

    assert made[0].ready == [0]
    assert [(one.line, one.reason) for one in made[0].rejected] == [(2, "no ones")]


def test_an_unexpected_error_is_raised_where_the_batches_are_used(batches):
    def prepare(row):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(batches(prepare))


def test_the_thread_ends_when_nobody_wants_more(batches):
    before = threading.active_count()
    made = batches(lambda row: row)

    next(made)
    made.close()

    assert threading.active_count() == before


def test_a_batch_is_full_by_its_size_too(batches, monkeypatch):
    monkeypatch.setattr(pipeline, "BATCH_CHARACTERS", 1)

    assert len(next(batches(lambda row: row)).ready) == 1


def test_a_batch_is_full_by_what_its_rows_became(save, monkeypatch):
    monkeypatch.setattr(pipeline, "BATCH_ROWS", 4)
    file = recognise(open_source(save([{"id": n} for n in range(6)]), limit=10**6))

    def thrice(row, batch):
        batch.ready.extend([row.values["id"]] * 3)

    made = pipeline.batches(file, thrice)

    assert [len(batch.ready) for batch in made] == [6, 6, 6, 0]
