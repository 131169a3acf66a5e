"""Verdicts that no model gave: a person wrote them, each with its evidence.

They make a run like any other, so that rewards are computed from them by the same rules. Its judge
says who wrote them and each verdict is flagged, so that no page takes them for a model's, and no
group mixes them with one's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Final, NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import Project, User
from apps.activity.errors import BadInput
from apps.judging import selectors
from apps.judging.models import JudgeRun, Shard
from apps.judging.services.endings import end_run_when_complete
from apps.judging.services.judges import JudgeIdentity
from apps.judging.services.runs import Member, create_run
from apps.judging.services.storing import VerdictRow, insert_verdicts
from rubricstudio.core.canonical import canonical_hash
from rubricstudio.core.types import Verdict

BY_HAND: Final = "by_hand"
"""The flag of a verdict that a person wrote."""


class EnteredVerdict(NamedTuple):
    """A verdict with its cell; `criterion_id` is None for the global score."""

    rollout_id: int
    spec_id: int
    criterion_id: int | None
    verdict: Verdict
    evidence: str = ""


@transaction.atomic
def enter_verdicts(
    verdicts: Sequence[EnteredVerdict],
    *,
    project: Project,
    judge: str,
    requested_by: User | None = None,
) -> JudgeRun:
    """A run that is over, with these verdicts; `judge` says on every page who gave them.

    Raises BadInput unless every cell of the rollouts has its verdict.
    """
    members = [
        Member(rollout_id, spec_id, sum(1 for _one in rows))
        for (rollout_id, spec_id), rows in groupby(
            sorted(verdicts, key=_place), key=lambda one: (one.rollout_id, one.spec_id)
        )
    ]
    run = create_run(
        members,
        project=project,
        identity=_identity(judge),
        requested_by=requested_by,
        output_mode=JudgeRun.OutputMode.EXPLAINED,
    )
    insert_verdicts(run_id=run.pk, rows=[_row(one) for one in verdicts])
    _end(run)
    run.refresh_from_db()
    return run


def _place(one: EnteredVerdict) -> tuple[int, int]:
    return one.rollout_id, one.spec_id


def _identity(judge: str) -> JudgeIdentity:
    """The keys of a model's identity, so that whoever shows one shows the other."""
    person = {
        "model": judge,
        "weights_revision": "",
        "served_model": "",
        "server_version": "",
        "chat_template_sha256": "",
        "backend": "",
        "embedded": False,
        "sampling": {},
        "template": "",
        "template_sha256": "",
    }
    mode = JudgeRun.OutputMode.EXPLAINED.value
    whole = {"output_mode": mode, BY_HAND: True, "judge": person, "global": person}
    return JudgeIdentity(whole, canonical_hash(whole))


def _row(one: EnteredVerdict) -> VerdictRow:
    said = one.verdict
    return VerdictRow(
        one.rollout_id,
        one.criterion_id,
        0,
        state=said.state.value,
        reason=said.reason.value if said.reason else "",
        answer=said.answer,
        score=said.score,
        evidence=one.evidence,
        flags=json.dumps([BY_HAND]),
    )


def _end(run: JudgeRun) -> None:
    """All at once: nobody works on a run whose verdicts are there from the start."""
    for shard in run.shards.all():
        if selectors.open_cells(run, shard_id=shard.pk):
            raise BadInput(_("Some criteria of the rollouts have no verdict: enter all of them."))
    run.shards.update(state=Shard.State.DONE, finished_at=timezone.now())
    end_run_when_complete(run_id=run.pk)
