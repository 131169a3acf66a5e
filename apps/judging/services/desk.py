"""The open cells of the shards that one worker holds, as questions for the judge."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from apps.judging import selectors
from apps.judging.models import JudgeRun
from apps.judging.selectors import Cell, OpenCell
from apps.judging.services.keys import CellKey, key_of
from apps.judging.services.shards import Claim
from apps.rollouts.models import Rollout
from apps.specs.models import Criterion
from rubricstudio.core import types
from rubricstudio.llm.client import JudgeItem

Conversation = tuple[types.Message, ...]


@dataclass
class Held:
    """A shard in hand: how many of its cells have no row, and which are being asked."""

    claim: Claim
    left: int
    # Sent, and their answers not dealt with yet. The loop adds, the storing thread removes.
    begun: set[Cell] = field(default_factory=set)


@dataclass
class Desk:
    """What one worker has to ask, in order: the loop takes, the storing thread adds and drops.

    The two meet in a deque and in a dictionary, both of them safe between threads.
    """

    held: dict[int, Held] = field(default_factory=dict)
    _waiting: deque[JudgeItem] = field(default_factory=deque)

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, run: JudgeRun, claim: Claim) -> Held:
        """Put the open cells of a claimed shard on the desk."""
        cells = selectors.open_cells(run, shard_id=claim.shard_id)
        held = self.held[claim.shard_id] = Held(claim, len(cells))
        self._waiting.extend(_items(claim.shard_id, cells))
        return held

    def take(self) -> Iterator[JudgeItem]:
        """One question after another, without those of shards that are not held any more."""
        while self._waiting:
            item = self._waiting.popleft()
            if key_of(item).shard_id in self.held:
                yield item

    def begin(self, item: JudgeItem) -> None:
        """The question is sent now; called by the loop."""
        shard_id, cell = key_of(item)
        held = self.held.get(shard_id)
        if held is not None:
            held.begun.add(cell)

    def drop(self, shard_id: int) -> None:
        """The shard is finished, or another worker has it."""
        self.held.pop(shard_id, None)

    def in_flight(self, closing: Counter[int]) -> dict[Claim, int]:
        """What a killed worker would leave to be asked again, by claim.

        `closing` counts the answers by shard that are about to be stored; new questions take their
        place at once, as long as there are any.
        """
        return {
            held.claim: min(len(held.begun), held.left - closing[shard_id])
            for shard_id, held in self.held.items()
        }


def _items(shard_id: int, cells: Sequence[OpenCell]) -> Iterator[JudgeItem]:
    rollouts = _rollouts({one.rollout_id for one in cells})
    criteria = _criteria({one.criterion_id for one in cells if one.criterion_id is not None})
    for one in cells:
        asked = rollouts[one.rollout_id]
        yield JudgeItem(
            key=CellKey(shard_id, one.cell),
            prompt=asked.prompt,
            response=asked.response,
            criterion=None if one.criterion_id is None else criteria[one.criterion_id],
            sample=one.sample,
        )


class _Asked(NamedTuple):
    """What the cells of one rollout share; rollouts of one prompt share its messages too."""

    prompt: Conversation
    response: Conversation


def _rollouts(pks: set[int]) -> dict[int, _Asked]:
    rows = Rollout.objects.filter(pk__in=pks).values_list(
        "pk", "prompt_revision_id", "prompt_revision__messages", "messages"
    )
    prompts: dict[int, Conversation] = {}
    found = {}
    for pk, revision, prompt, response in rows:
        if revision not in prompts:
            prompts[revision] = _conversation(prompt)
        found[pk] = _Asked(prompts[revision], _conversation(response))
    return found


def _conversation(messages: Sequence[dict[str, object]]) -> Conversation:
    return tuple(types.Message.from_dict(one) for one in messages)


def _criteria(pks: set[int]) -> dict[int, types.Criterion]:
    return {row.pk: row.as_value() for row in Criterion.objects.filter(pk__in=pks)}
