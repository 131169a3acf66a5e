"""`manage.py make_specs`: a spec for every prompt that has none."""

from __future__ import annotations

import os
import socket
import time
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import Project
from apps.accounts.selectors import get_project
from apps.activity import services as activity
from apps.activity.management.base import Outcome
from apps.activity.management.ctrl_c import CtrlC
from apps.activity.management.progress import ProgressLine
from apps.activity.models import Job
from apps.activity.selectors import a_worker_beats
from apps.activity.tasks import enqueue_job
from apps.calls.management.base import ModelCommand
from apps.specs import selectors, services
from apps.specs.models import SpecFailure
from apps.specs.services import NO_CHECKER

QUEUE = "generation"
LOOK_EVERY = 0.5
NAMED_AT_MOST = 20
NOTHING = {"specs": 0, "criteria": 0, "constraints": 0, "checkers": 0, "failed": 0}


class Command(ModelCommand):
    help = "Make specs for the prompts that have none: rubric, constraints and checkers."
    result_on_error = NOTHING

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_project_argument(parser)
        parser.add_argument(
            "--method",
            choices=services.METHODS,
            default=services.AUTO,
            help="auto: what was published with a prompt, the rest by the model; "
            "rules: the same without a model, constraints as rules read them in the prompt; "
            "given: what was published alone; model: everything by the model",
        )
        parser.add_argument("--limit", type=int, metavar="N", help="handle N prompts")
        parser.add_argument(
            "--no-model", action="store_true", help="ask no model: auto is then the same as rules"
        )
        parser.add_argument(
            "--remake", action="store_true", help="a further version where there is a spec"
        )

    def needs_model(self, **options: Any) -> bool:
        without = (services.GIVEN, services.RULES)
        return not options["no_model"] and options["method"] not in without

    def work(self, **options: Any) -> Outcome:
        project = get_project(options["project"])
        todo = selectors.prompts_to_specify(project, remake=options["remake"])
        if self.needs_model(**options) and todo.exists():
            self.check_model(project, services.ROLES)
        job = services.start_making(
            project=project,
            method=options["method"],
            limit=options["limit"],
            use_model=not options["no_model"],
            remake=options["remake"],
        )
        progress = ProgressLine(self.say, lambda: _sentence_of(job))
        try:
            with CtrlC(self.say) as ctrl_c:
                self._wait(job, progress, ctrl_c)
        except KeyboardInterrupt:
            activity.pause_job(job=job, reason=_("Stopped from the keyboard."))
        return self._outcome(project, job)

    def _wait(self, job: Job, progress: ProgressLine, ctrl_c: CtrlC) -> None:
        """Until the job is over or stands still: by a worker where there is one, else here."""
        if a_worker_beats(QUEUE):
            transaction.on_commit(lambda: enqueue_job(job.pk))
        while self._is_under_way(job):
            if ctrl_c.is_set():
                raise KeyboardInterrupt
            if a_worker_beats(QUEUE):
                time.sleep(LOOK_EVERY)
            elif job.state == Job.State.QUEUED:
                worker = f"{socket.gethostname()}:{os.getpid()}"
                services.carry_making(
                    job=job, worker=worker, ending=ctrl_c.is_set, on_beat=progress.tick
                )
            else:
                activity.release_lost_jobs()
                time.sleep(LOOK_EVERY)
            progress.tick()

    def _is_under_way(self, job: Job) -> bool:
        job.refresh_from_db()
        return job.state in (Job.State.QUEUED, Job.State.RUNNING)

    def _outcome(self, project: Project, job: Job) -> Outcome:
        job.refresh_from_db()
        made = selectors.made_by(job)
        failures = selectors.failures_of(job)
        self._say_refused(job)
        self._say_failures(failures)
        if job.error:
            self.say(job.error)
        if not made.handled and job.state == Job.State.DONE:
            self.say(_("Every prompt of %(slug)s has a spec.") % {"slug": project.slug})
        useless = not made.specs and failures.exclude(cause=NO_CHECKER).exists()
        return Outcome(made.as_dict(), complete=job.state == Job.State.DONE and not useless)

    def _say_refused(self, job: Job) -> None:
        refused = selectors.refused_types(job)
        if refused:
            types = ", ".join(f"{name} {count}" for name, count in refused.most_common())
            self.say(_("Kept, but no checker answers them yet: %(types)s") % {"types": types})

    def _say_failures(self, failures: QuerySet[SpecFailure]) -> None:
        for one in failures[:NAMED_AT_MOST]:
            self.say(
                _("Prompt %(number)d: %(reason)s")
                % {"number": one.prompt_revision.prompt.number, "reason": one.reason}
            )
        more = failures.count() - NAMED_AT_MOST
        if more > 0:
            self.say(
                ngettext(
                    "… and %(count)d more prompt without a usable spec.",
                    "… and %(count)d more prompts without a usable spec.",
                    more,
                )
                % {"count": more}
            )


def _sentence_of(job: Job) -> str:
    return _("%(done)d of %(total)d prompts") % {"done": job.done, "total": job.total or 0}
