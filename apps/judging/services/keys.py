"""How a question is named while it is asked: by its cell, and the shard it is asked for."""

from __future__ import annotations

from typing import NamedTuple, cast

from apps.judging.selectors import Cell
from rubricstudio.llm.client import JudgeItem


class CellKey(NamedTuple):
    shard_id: int
    cell: Cell


def key_of(item: JudgeItem) -> CellKey:
    return cast(CellKey, item.key)
