"""Making specs: for each prompt that has none, from what was published and from the model.

A job says what to do. What it has dealt with is read from the rows it left, so that another worker
goes on where one stopped. While the model thinks no transaction is open.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts.models import Project, User
from apps.activity import services as activity
from apps.activity.errors import ApplicationError, BadInput
from apps.activity.models import Job
from apps.prompts.models import Prompt
from apps.specs import selectors
from apps.specs.services.carrying import Carrier, never, nothing
from apps.specs.services.composing import AUTO, Method
from apps.specs.services.writers import Desk
from rubricstudio.llm.errors import LLMError

TASK = "apps.specs.tasks.make_specs"
KIND = "make_specs"


@transaction.atomic
def start_making(
    *,
    project: Project,
    method: str = AUTO,
    limit: int | None = None,
    use_model: bool = True,
    remake: bool = False,
    requested_by: User | None = None,
) -> Job:
    """A job that makes specs for the prompts without a usable one; the caller enqueues it.

    `limit` is how many prompts it handles, failed ones too. `remake` makes the next version for
    prompts that have one. Raises `BadInput` when there is no prompt, and `Blocked` when a model is
    needed and none is set.
    """
    chosen = Method.of(method, use_model=use_model)
    if limit is not None and limit < 1:
        raise BadInput(_("limit is %(limit)d: use 1 or more.") % {"limit": limit})
    if not Prompt.objects.filter(project=project, archived_at__isnull=True).exists():
        raise BadInput(_("The project has no prompts: import_prompts brings them in."))
    if chosen.needs_model:
        Desk.of(project)
    total = selectors.prompts_to_specify(project, remake=remake).count()
    return activity.create_job(
        kind=KIND,
        task=TASK,
        arguments={"method": chosen.name, "limit": limit, "remake": remake},
        project=project,
        requested_by=requested_by,
        total=total if limit is None else min(total, limit),
    )


def carry_making(
    *,
    job: Job,
    worker: str,
    seconds: float | None = None,
    ending: Callable[[], bool] = never,
    on_beat: Callable[[], None] = nothing,
) -> bool:
    """Carry a queued job for so long; whether it went back to the queue with more to do.

    A job that somebody else has, or that is paused or over, is left alone, so a message may come
    twice. `ending` tells that this process is to end soon; `on_beat` is called about every second.
    """
    if not activity.start_job(job=job, worker=worker):
        return False
    try:
        carrier = _carrier(job, seconds, ending, on_beat)
        carrier.carry()
    except (ApplicationError, LLMError) as error:
        activity.pause_job(job=job, reason=str(error))
        return False
    return _end(job, carrier)


def _carrier(
    job: Job, seconds: float | None, ending: Callable[[], bool], on_beat: Callable[[], None]
) -> Carrier:
    project = Project.objects.get(jobs=job)
    method = Method(job.arguments["method"])
    return Carrier(
        job=job,
        project=project,
        method=method,
        limit=job.arguments["limit"],
        remake=job.arguments["remake"],
        desk=Desk.of(project) if method.needs_model else None,
        until=float("inf") if seconds is None else time.monotonic() + seconds,
        ending=ending,
        on_beat=on_beat,
    )


def _end(job: Job, carrier: Carrier) -> bool:
    if carrier.lost:
        return False
    activity.beat(job=job, done=carrier.handled)
    if carrier.blocked:
        activity.pause_job(job=job, reason=carrier.blocked)
        return False
    if carrier.left:
        return activity.release_job(job=job)
    _finish(job)
    return False


@transaction.atomic
def _finish(job: Job) -> None:
    made = selectors.made_by(job).as_dict()
    if activity.finish_job(job=job, result=made):
        activity.record(
            verb="specs.made",
            target=job,
            project=job.project,
            actor=job.requested_by,
            detail={**job.arguments, **made},
        )
