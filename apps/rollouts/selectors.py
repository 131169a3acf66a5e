"""Reads of rollouts. Lists never touch messages or columns: excerpts are enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db import connection
from django.db.models import QuerySet

from apps.accounts.models import Project
from apps.rollouts.models import Rollout

LISTED = (
    *("number", "group_id", "key", "revision", "excerpt", "characters", "step", "checkpoint"),
    *("trainer_reward", "truncated", "created_at", "policy__name"),
    *("prompt_revision__revision", "prompt_revision__prompt__number"),
)
RELATED = ("policy", "prompt_revision__prompt")
PAYLOADS = ("messages", "tools", "columns", "given")


class Wanted(NamedTuple):
    """A rollout that may be there already, and what it says."""

    prompt_revision_id: int
    policy_id: int
    step: int | None
    key: str
    trainer_reward: float | None
    columns: str


class Stored(NamedTuple):
    """A revision of a wanted rollout; `alike` if its numbers and columns are the wanted ones."""

    place: int
    revision: int
    content_sha256: str
    alike: bool


# Two branches, since an index finds a step or the lack of one, but not "the same or both absent".
STORED = """
WITH wanted AS (
    SELECT * FROM unnest(%s::int[], %s::bigint[], %s::bigint[], %s::int[], %s::text[], %s::float[],
        %s::text[]) AS row (place, prompt_revision_id, policy_id, step, key, reward, columns)
)
SELECT wanted.place, rollout.revision, rollout.content_sha256,
    rollout.trainer_reward IS NOT DISTINCT FROM wanted.reward
    AND rollout.columns = wanted.columns::jsonb
FROM wanted JOIN rollouts_rollout AS rollout USING (prompt_revision_id, policy_id, step, key)
UNION ALL
SELECT wanted.place, rollout.revision, rollout.content_sha256,
    rollout.trainer_reward IS NOT DISTINCT FROM wanted.reward
    AND rollout.columns = wanted.columns::jsonb
FROM wanted JOIN rollouts_rollout AS rollout USING (prompt_revision_id, policy_id, key)
WHERE wanted.step IS NULL AND rollout.step IS NULL
"""


def stored_rollouts(wanted: Sequence[Wanted]) -> list[Stored]:
    """All revisions of the wanted rollouts; the cost depends on them, not on the project."""
    if not wanted:
        return []
    revisions, policies, steps, keys, rewards, columns = zip(*wanted, strict=True)
    values = [range(len(wanted)), revisions, policies, steps, keys, rewards, columns]
    with connection.cursor() as cursor:
        cursor.execute(STORED, [list(column) for column in values])
        return [Stored(*row) for row in cursor.fetchall()]


def list_rollouts(
    project: Project,
    *,
    prompt: int | None = None,
    policy: str | None = None,
    step: int | None = None,
) -> QuerySet[Rollout]:
    """The rollouts of a project with what a list shows of them."""
    asked = {
        "prompt_revision__prompt__number": prompt,
        "policy__name": policy,
        "step": step,
    }
    narrowed = {name: value for name, value in asked.items() if value is not None}
    rollouts = Rollout.objects.filter(project=project, **narrowed)
    return rollouts.select_related(*RELATED).only(*LISTED)


class Beside(NamedTuple):
    """The numbers of the rollouts before and after one in its group; None where there is none."""

    previous: int | None
    next: int | None


def beside(rollout: Rollout) -> Beside:
    """The neighbours of a rollout within its group."""
    others = Rollout.objects.filter(group=rollout.group_id)
    before = others.filter(pk__lt=rollout.pk).order_by("-pk").values_list("number", flat=True)
    after = others.filter(pk__gt=rollout.pk).order_by("pk").values_list("number", flat=True)
    return Beside(before.first(), after.first())


def rollouts_of(project: Project) -> QuerySet[Rollout]:
    """The rollouts of a project with their texts, without those of their prompts."""
    rollouts = Rollout.objects.filter(project=project).select_related(*RELATED)
    return rollouts.defer(*(f"prompt_revision__{name}" for name in PAYLOADS))


def find_rollout(project: Project, number: int) -> Rollout | None:
    return rollouts_of(project).filter(number=number).first()


def revision_numbers(rollout: Rollout) -> list[int]:
    """The numbers of all rollouts that are revisions of one, in their order."""
    alike = Rollout.objects.filter(
        prompt_revision=rollout.prompt_revision,
        policy=rollout.policy,
        step=rollout.step,
        key=rollout.key,
    )
    return list(alike.order_by("revision").values_list("number", flat=True))
