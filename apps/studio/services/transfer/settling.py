"""What cannot stay as it was where a project comes in: work under way, and keys."""

from __future__ import annotations

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import Project
from apps.activity.models import Job
from apps.calls.models import ModelEndpoint
from apps.judging.models import JudgeRun, Shard
from apps.judging.services.runs import TASK

CAUSE = "imported"
OPEN = (Job.State.QUEUED, Job.State.RUNNING, Job.State.PAUSED)


def settle_import(project: Project) -> None:
    """Runs that were under way are paused with what they have; other jobs are cancelled.

    The names of tasks come from a file, and a resumed run must not start just any task.
    """
    stopped = _("It was under way when the project was exported: resume it to go on.")
    runs = JudgeRun.objects.filter(project=project)
    under_way = runs.filter(state__in=[JudgeRun.State.QUEUED, JudgeRun.State.RUNNING])
    under_way.update(state=JudgeRun.State.PAUSED, block_cause=CAUSE, block_reason=stopped)
    shards = Shard.objects.filter(run__project=project)
    shards.filter(state__in=[Shard.State.QUEUED, Shard.State.RUNNING]).update(
        state=Shard.State.QUEUED, claim=None, worker="", in_flight=0, enqueued_at=None
    )
    jobs = Job.objects.filter(project=project)
    of_runs = Q(judge_run__isnull=False)
    jobs.filter(of_runs).update(task=TASK)
    moving = Q(state__in=[Job.State.QUEUED, Job.State.RUNNING])
    jobs.filter(of_runs & moving).update(state=Job.State.PAUSED, error=stopped, worker="")
    jobs.filter(state__in=OPEN).exclude(of_runs).update(
        state=Job.State.CANCELLED,
        error_cause=CAUSE,
        error=_("It was not done when the project was exported: start it again."),
        finished_at=timezone.now(),
    )


def settle_copy(project: Project, *, source: Project) -> None:
    """Endpoints of the project keep their keys, which never leave the installation."""
    keys = dict(
        ModelEndpoint.objects.filter(project=source).values_list("name", "api_key_encrypted")
    )
    for endpoint in ModelEndpoint.objects.filter(project=project):
        endpoint.api_key_encrypted = keys[endpoint.name]
        endpoint.save(update_fields=["api_key_encrypted"])
