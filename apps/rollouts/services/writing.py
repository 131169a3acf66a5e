"""Deciding what each rollout of a batch is, and writing the batch by COPY."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import services as accounts
from apps.accounts.models import Project
from apps.prompts.models import Import
from apps.prompts.reading import BadRow, RowError
from apps.prompts.services.bulk import check_now, copy_rows
from apps.prompts.services.importing import Tally, reject
from apps.rollouts import selectors
from apps.rollouts.models import Rollout
from apps.rollouts.selectors import Wanted
from apps.rollouts.services.groups import Batches, open_groups
from apps.rollouts.services.matching import Matcher
from apps.rollouts.services.occurrences import Occurrences
from apps.rollouts.services.prepared import PreparedRollout

COLUMNS = (
    *("project_id", "number", "group_id", "prompt_revision_id", "policy_id", "key", "revision"),
    *("messages", "content_sha256", "excerpt", "characters", "step", "checkpoint"),
    *("trainer_reward", "truncated", "columns", "created_at"),
)
Identity = tuple[int, int, int | None, str]
"""Prompt revision, policy, step and key: what one rollout is known by."""


class _Matched(NamedTuple):
    rollout: PreparedRollout
    identity: Identity


class _Made(NamedTuple):
    rollout: PreparedRollout
    identity: Identity
    revision: int


@dataclass(slots=True)
class _Known:
    """What is stored under an identity; `unlike` are contents that have other numbers there."""

    revision: int = 0
    contents: set[str] = field(default_factory=set)
    unlike: set[str] = field(default_factory=set)


class RolloutWriter:
    """Writes the batches of one import, in the import's transaction and under its lock."""

    def __init__(self, project: Project, record: Import, tally: Tally) -> None:
        self.project = project
        self.record = record
        self.tally = tally
        self._at = timezone.now().isoformat()
        self._batches = Batches(project, record)
        self._occurrences = Occurrences()
        self._unlike = 0

    def write(self, batch: Sequence[PreparedRollout]) -> None:
        """Add a batch; what matches no prompt is rejected."""
        matched = self._match(batch)
        known = self._look_up(matched)
        made = [one for item in matched if (one := self._decide(known[item.identity], item))]
        self._write(made)
        for names in {tuple(item.rollout.value.columns) for item in matched}:
            self.tally.see_columns(names)

    def close(self) -> None:
        """Tell what a reader of the report should know."""
        if self._unlike:
            self.tally.notes.append(
                _(
                    "%(count)d rollouts are there already with another reward or other columns; "
                    "a rollout never changes, so those stored are kept."
                )
                % {"count": self._unlike}
            )

    def _match(self, batch: Sequence[PreparedRollout]) -> list[_Matched]:
        matcher = Matcher(self.project, batch)
        found: list[tuple[PreparedRollout, tuple[int, int, int | None]]] = []
        rejected: list[BadRow] = []
        for one in batch:
            try:
                revision_id = matcher.match(one).revision_id
            except RowError as error:
                rejected.append(one.row.rejected(error))
                continue
            policy_id = self._batches.policy_id(one.value.policy)
            found.append((one, (revision_id, policy_id, one.value.step)))
        reject(self.record, self.tally, rejected)
        keys = self._keys(found)
        return [_Matched(one, (*place, key)) for (one, place), key in zip(found, keys, strict=True)]

    def _keys(
        self, found: Sequence[tuple[PreparedRollout, tuple[int, int, int | None]]]
    ) -> list[str]:
        """External ids; else the content, with the number of its occurrence at its place."""
        nameless = [(one, place) for one, place in found if one.value.external_id is None]
        digests = [
            hashlib.sha256(f"{place} {one.content_sha256}".encode()).digest()
            for one, place in nameless
        ]
        numbers = iter(self._occurrences.number(digests))
        return [
            f"{one.content_sha256}:{next(numbers)}"
            if one.value.external_id is None
            else one.value.external_id
            for one, _place in found
        ]

    def _look_up(self, matched: Sequence[_Matched]) -> dict[Identity, _Known]:
        known = {item.identity: _Known() for item in matched}
        wanted = [
            Wanted(*item.identity, item.rollout.value.reward, item.rollout.columns)
            for item in matched
        ]
        for stored in selectors.stored_rollouts(wanted):
            item = matched[stored.place]
            one = known[item.identity]
            one.revision = max(one.revision, stored.revision)
            one.contents.add(stored.content_sha256)
            if not stored.alike and stored.content_sha256 == item.rollout.content_sha256:
                one.unlike.add(stored.content_sha256)
        return known

    def _decide(self, known: _Known, item: _Matched) -> _Made | None:
        content = item.rollout.content_sha256
        if content in known.contents:
            self.tally.identical += 1
            self._unlike += content in known.unlike
            return None
        if known.revision:
            self.tally.changed += 1
        else:
            self.tally.new += 1
        known.revision += 1
        known.contents.add(content)
        return _Made(item.rollout, item.identity, known.revision)

    def _write(self, made: Sequence[_Made]) -> None:
        if not made:
            return
        places = [
            (one.identity[0], self._batches.batch_id(one.identity[1], one.identity[2]))
            for one in made
        ]
        groups = open_groups(places)
        numbers = accounts.allocate_numbers(project=self.project, kind="rollout", count=len(made))
        rows = [
            self._row(one, number, groups[place])
            for one, number, place in zip(made, numbers, places, strict=True)
        ]
        copy_rows(Rollout, COLUMNS, rows)
        check_now()

    def _row(self, made: _Made, number: int, group_id: int) -> tuple[object, ...]:
        rollout, value = made.rollout, made.rollout.value
        revision_id, policy_id, step, key = made.identity
        return (
            *(self.project.pk, number, group_id, revision_id, policy_id, key, made.revision),
            *(rollout.messages, rollout.content_sha256, rollout.excerpt, rollout.characters),
            *(step, value.checkpoint, value.reward, value.truncated, rollout.columns, self._at),
        )
