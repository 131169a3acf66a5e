"""What a project holds, counted, and the jobs that move whole projects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext as _

from apps.accounts.models import Project
from apps.accounts.read_only import COPYING
from apps.activity.models import Job
from apps.bundles.models import Bundle
from apps.calls.models import Call
from apps.judging.models import CheckOutcome, JudgeRun, Verdict
from apps.prompts.models import Prompt
from apps.rewards.models import Reward
from apps.rollouts.models import Rollout
from apps.specs.models import Spec

SHOWN = 10


class Counted(NamedTuple):
    """A kind of thing and how many of it there are."""

    key: str
    label: str
    number: int


def contents_of(project: Project) -> list[Counted]:
    """Each kind of thing in the order of the flow, then who and what may enter."""
    return [
        Counted("prompts", _("Prompts"), Prompt.objects.filter(project=project).count()),
        Counted("specs", _("Versions of specs"), _specs(project)),
        Counted("rollouts", _("Rollouts"), Rollout.objects.filter(project=project).count()),
        Counted("runs", _("Runs"), JudgeRun.objects.filter(project=project).count()),
        Counted("verdicts", _("Verdicts"), Verdict.objects.filter(run__project=project).count()),
        Counted("checks", _("Checks"), CheckOutcome.objects.filter(run__project=project).count()),
        Counted("rewards", _("Rewards"), Reward.objects.filter(run__project=project).count()),
        Counted("bundles", _("Frozen bundles"), Bundle.objects.filter(project=project).count()),
        Counted("calls", _("Calls of models"), Call.objects.filter(project_id=project.pk).count()),
        Counted("members", _("Members"), project.memberships.values("user").distinct().count()),
        Counted("tokens", _("API tokens"), project.tokens.count()),
    ]


def _specs(project: Project) -> int:
    return Spec.objects.filter(prompt_revision__prompt__project=project).count()


def copies_of(project: Project) -> list[Job]:
    """The newest copies of a project, under way or over."""
    jobs = Job.objects.filter(project=project, kind=COPYING)
    return list(jobs.select_related("requested_by").order_by("-pk")[:SHOWN])


def arrivals() -> list[Job]:
    """The newest projects that were brought in, and those that are being emptied."""
    jobs = Job.objects.filter(project=None, kind__in=["import_project", "delete_project"])
    return list(jobs.select_related("requested_by").order_by("-pk")[:SHOWN])


def projects_there(slugs: Iterable[str]) -> set[str]:
    """Those of the short names whose project was not deleted since."""
    return set(Project.objects.filter(slug__in=list(slugs)).values_list("slug", flat=True))
