"""How a worker carries a job that is one long transaction: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import transaction

from apps.activity import services as activity
from apps.activity.errors import ApplicationError
from apps.activity.models import Job

Watch = Callable[[int], None]
Work = Callable[[Watch], dict[str, Any]]


class GivenUp(Exception):
    """Somebody else has the job, or it was paused or cancelled."""


class GivenBack(Exception):
    """This process is to end."""


def carry(*, job: Job, work: Work, worker: str, ending: Callable[[], bool] = lambda: False) -> bool:
    """Do the work of a queued job; whether it went back to the queue instead.

    `work` calls the function that it is given with the number of rows done, as often as it can. A
    job that somebody else has is left alone, so a message may come twice.
    """
    if not activity.start_job(job=job, worker=worker):
        return False
    try:
        with activity.Beating(job) as beating, transaction.atomic():
            result = work(_watch(beating, ending))
            if not activity.finish_job(job=job, result=result):
                raise GivenUp
    except GivenBack:
        return activity.release_job(job=job)
    except GivenUp:
        return False
    except ApplicationError as error:
        activity.fail_job(job=job, cause="bad_input", error=error.message)
    return False


def _watch(beating: activity.Beating, ending: Callable[[], bool]) -> Watch:
    def watch(rows: int) -> None:
        beating.done = rows
        if beating.lost:
            raise GivenUp
        if ending():
            raise GivenBack

    return watch
