"""Batches that are made ready in a thread while the database writes the batch before.

Both sides wait for each other at a short queue, so memory holds a few batches at most.
"""

from __future__ import annotations

import contextvars
import queue
import threading
from collections.abc import Callable, Generator, Iterator
from typing import Generic, NamedTuple, TypeVar

from apps.activity.errors import BadInput
from apps.prompts.reading import BadRow, MissingColumn, Row, RowError, TextFile

BATCH_ROWS = 2000
BATCH_CHARACTERS = 2 * 1024**2
BATCHES_AHEAD = 2
Item = TypeVar("Item")
Prepared = TypeVar("Prepared")


class Batch(NamedTuple, Generic[Prepared]):
    """Rows in their order that are ready, and those that were rejected on the way."""

    ready: list[Prepared]
    rejected: list[BadRow]


Prepare = Callable[[Row, Batch[Prepared]], None]
"""Puts what it makes of a row into the batch. Raises RowError for a row it can make nothing of."""


def batches(file: TextFile, prepare: Prepare[Prepared]) -> Generator[Batch[Prepared]]:
    """The rows of a file, prepared in a thread until the generator is closed.

    Raises BadInput where no row can be used.
    """
    return _ahead(_batches(file, prepare))


def _batches(file: TextFile, prepare: Prepare[Prepared]) -> Iterator[Batch[Prepared]]:
    batch: Batch[Prepared] = Batch([], [])
    characters = 0
    for row in file.rows():
        if isinstance(row, BadRow):
            batch.rejected.append(row)
        else:
            characters += len(row.text)
            try:
                prepare(row, batch)
            except RowError as error:
                _check_table(row, error)
                batch.rejected.append(row.rejected(error))
        # What a row became is counted, since a row of a training step may hold many rollouts.
        made = len(batch.ready) + len(batch.rejected)
        if made >= BATCH_ROWS or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = Batch([], []), 0
    yield batch


def _check_table(row: Row, error: RowError) -> None:
    """No other row of a table has the column either that this one lacks."""
    if row.table and isinstance(error, MissingColumn):
        raise BadInput(error.reason) from None


class _End(NamedTuple):
    error: BaseException | None


def _ahead(items: Iterator[Item]) -> Generator[Item]:
    """The same items, made in a thread; its errors are raised here."""
    ready: queue.Queue[Item | _End] = queue.Queue(maxsize=BATCHES_AHEAD)
    stopped = threading.Event()
    # The context carries the language of the sentences.
    target = contextvars.copy_context().run
    thread = threading.Thread(target=target, args=(_fill, items, ready, stopped), daemon=True)
    thread.start()
    try:
        while not isinstance(item := ready.get(), _End):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        stopped.set()
        thread.join()


def _fill(items: Iterator[Item], ready: queue.Queue[Item | _End], stopped: threading.Event) -> None:
    end = _End(None)
    try:
        for item in items:
            if not _put(item, ready, stopped):
                return
    except BaseException as error:  # noqa: BLE001 - raised again where the items are used
        end = _End(error)
    _put(end, ready, stopped)


def _put(item: Item | _End, ready: queue.Queue[Item | _End], stopped: threading.Event) -> bool:
    while not stopped.is_set():
        try:
            ready.put(item, timeout=0.1)
        except queue.Full:
            continue
        return True
    return False
