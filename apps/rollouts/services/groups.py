"""Batches and groups: made when the first rollout needs them."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import connection

from apps.accounts.models import Project
from apps.prompts.models import Import
from apps.prompts.services.bulk import copy_rows, reserve_ids
from apps.rollouts.models import Batch, Policy, RolloutGroup

GROUP_COLUMNS = ("id", "prompt_revision_id", "batch_id")
EXISTING = """
SELECT prompt_revision_id, batch_id, id
FROM rollouts_rolloutgroup JOIN unnest(%s::bigint[], %s::bigint[])
    AS wanted (prompt_revision_id, batch_id) USING (prompt_revision_id, batch_id)
"""
Place = tuple[int, int]
"""A prompt revision and a batch, by their ids."""


class Batches:
    """The policies and batches that one import meets, each looked up once."""

    def __init__(self, project: Project, record: Import) -> None:
        self.project = project
        self.record = record
        self._policies: dict[str, int] = {}
        self._batches: dict[tuple[int, int | None], int] = {}

    def policy_id(self, name: str) -> int:
        if name not in self._policies:
            policy, _created = Policy.objects.get_or_create(project=self.project, name=name)
            self._policies[name] = policy.pk
        return self._policies[name]

    def batch_id(self, policy_id: int, step: int | None) -> int:
        """The batch of a policy's step; without a step, that of this import."""
        place = (policy_id if step is not None else 0, step)
        if place not in self._batches:
            where = (
                {"source": self.record} if step is None else {"policy_id": policy_id, "step": step}
            )
            batch, _created = Batch.objects.get_or_create(project=self.project, **where)
            self._batches[place] = batch.pk
        return self._batches[place]


def open_groups(places: Iterable[Place]) -> dict[Place, int]:
    """The ids of the groups at these places; those that are missing are made."""
    wanted = sorted(set(places))
    with connection.cursor() as cursor:
        cursor.execute(EXISTING, [[one[0] for one in wanted], [one[1] for one in wanted]])
        groups = {(revision, batch): group for revision, batch, group in cursor.fetchall()}
    missing = [place for place in wanted if place not in groups]
    made = dict(zip(missing, reserve_ids(RolloutGroup, len(missing)), strict=True))
    copy_rows(RolloutGroup, GROUP_COLUMNS, [(group, *place) for place, group in made.items()])
    return groups | made
