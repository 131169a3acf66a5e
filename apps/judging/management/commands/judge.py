"""`manage.py judge`: judge rollouts, and wait until the run ends.

Where a worker takes from the queue it does the work; otherwise this process does. Both may help
each other out, and change over, at any time: a shard is claimed by one of them.
"""

from __future__ import annotations

import time
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from apps.accounts.models import Project
from apps.accounts.selectors import get_project
from apps.activity.errors import BadInput
from apps.activity.management.base import Outcome
from apps.activity.management.ctrl_c import CtrlC
from apps.activity.management.progress import ProgressLine
from apps.activity.selectors import a_worker_beats
from apps.calls.management.base import ModelCommand
from apps.calls.models import ModelRole
from apps.judging import selectors, services
from apps.judging.models import JudgeRun
from apps.judging.selectors import Progress
from apps.judging.tasks import enqueue_shards

State = JudgeRun.State
QUEUE = "judging"
LOOK_EVERY = 0.5


class Command(ModelCommand):
    help = "Judge rollouts: one verdict per criterion and one global score each."
    result_on_error = {"run": None, "expected": 0, "scored": 0, "unscored": 0, "failed": 0}

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_project_argument(parser)
        parser.add_argument("--limit", type=int, metavar="N", help="the first N rollouts only")
        parser.add_argument(
            "--resume", type=int, metavar="RUN", help="go on with this run instead of a new one"
        )
        parser.add_argument(
            "--scope",
            choices=["failed"],
            help="a new run that asks again what failed in --resume RUN (or in the newest run)",
        )
        parser.add_argument("--output-mode", choices=JudgeRun.OutputMode.values)
        parser.add_argument("--samples", type=int, metavar="K", help="ask everything K times")

    def work(self, **options: Any) -> Outcome:
        project = get_project(options["project"])
        self._refuse_settings_of_another_run(options)
        run = self._run_to_carry(project, options)
        progress = ProgressLine(self.say, lambda: sentence_of(run, selectors.progress_of(run)))
        try:
            with CtrlC(self.say) as ctrl_c:
                self._wait(run, progress, ctrl_c)
        except KeyboardInterrupt:
            services.pause_run(run=run, reason=_("Stopped from the keyboard."))
        run.refresh_from_db()
        progress.tell()
        self._say_end(run)
        counts = services.counts_of(selectors.progress_of(run))
        return Outcome({"run": run.number, **counts}, complete=run.state == State.DONE)

    def _refuse_settings_of_another_run(self, options: dict[str, Any]) -> None:
        given = [name for name in ("limit", "output_mode", "samples") if options[name] is not None]
        if given and (options["resume"] or options["scope"]):
            raise BadInput(
                _("A run that goes on keeps its settings: leave out %(names)s.")
                % {"names": ", ".join(f"--{name.replace('_', '-')}" for name in given)}
            )

    def _run_to_carry(self, project: Project, options: dict[str, Any]) -> JudgeRun:
        if options["scope"]:
            parent = self._parent(project, options["resume"])
            self.check_model(project, (ModelRole.Name.JUDGE, ModelRole.Name.GLOBAL))
            child = services.start_child_run(parent=parent, scope=options["scope"])
            return child or parent
        if options["resume"]:
            run = selectors.get_run(project, options["resume"])
            services.resume_run(run=run)
            return run
        self.check_model(project, (ModelRole.Name.JUDGE, ModelRole.Name.GLOBAL))
        given = {name: options[name] for name in ("limit", "output_mode", "samples")}
        started = services.start_run(
            project=project, **{name: value for name, value in given.items() if value is not None}
        )
        if started.notice:
            self.say(started.notice)
        return started.run

    def _parent(self, project: Project, number: int | None) -> JudgeRun:
        if number is not None:
            return selectors.get_run(project, number)
        newest = selectors.runs_of(project).first()
        if newest is None:
            raise BadInput(_("The project has no run yet: leave out --scope."))
        return newest

    def _wait(self, run: JudgeRun, progress: ProgressLine, ctrl_c: CtrlC) -> None:
        """Until the run ends or stands still: by workers where there are any, else here."""
        while self._is_under_way(run):
            if ctrl_c.is_set():
                raise KeyboardInterrupt
            services.requeue_lost_shards()
            if a_worker_beats(QUEUE):
                enqueue_shards(run.pk)
                time.sleep(LOOK_EVERY)
            elif not self._carry_a_shard(run, progress, ctrl_c):
                time.sleep(LOOK_EVERY)
            progress.tick()

    def _is_under_way(self, run: JudgeRun) -> bool:
        run.refresh_from_db(fields=["state"])
        return run.state in (State.QUEUED, State.RUNNING)

    def _carry_a_shard(self, run: JudgeRun, progress: ProgressLine, ctrl_c: CtrlC) -> bool:
        shard = selectors.next_shard(run)
        if shard is None:
            return False
        services.judge_shard(shard_id=shard.pk, ending=ctrl_c.is_set, on_beat=progress.tick)
        return True

    def _say_end(self, run: JudgeRun) -> None:
        if run.block_reason:
            self.say(run.block_reason)
        if run.state == State.PAUSED:
            self.say(
                _("Go on with: manage.py judge --project %(slug)s --resume %(number)d")
                % {"slug": run.project.slug, "number": run.number}
            )


def sentence_of(run: JudgeRun, progress: Progress) -> str:
    """How far a run is, in one line."""
    return _(
        "Run %(number)d: %(final)d of %(expected)d (%(scored)d scored, %(unscored)d unscored, "
        "%(failed)d failed, %(running)d running)"
    ) % {
        "number": run.number,
        "final": progress.final,
        "expected": progress.expected,
        "scored": progress.scored,
        "unscored": progress.unscored,
        "failed": progress.failed,
        "running": progress.running,
    }
