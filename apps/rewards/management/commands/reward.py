"""`manage.py reward`: the reward of every rollout from what was judged and checked."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from apps.accounts.selectors import get_project
from apps.activity.management.base import FlowCommand, Outcome
from apps.judging.selectors import get_run
from apps.rewards import services


class Command(FlowCommand):
    help = "Compute rewards from the verdicts and check outcomes of a project."
    result_on_error = {"rewards": 0, "unscored": 0, "mean": None}

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_project_argument(parser)
        parser.add_argument(
            "--config", default=services.DEFAULT, metavar="NAME", help="the reward configuration"
        )
        parser.add_argument(
            "--run", type=int, metavar="N", help="the judge run; by default the newest complete one"
        )

    def run(self, **options: Any) -> Outcome:
        project, number = get_project(options["project"]), options["run"]
        run = services.compute_rewards(
            project=project,
            config=services.config_named(project=project, name=options["config"]),
            judge_run=None if number is None else get_run(project, number),
        )
        summary = run.summary
        mean = "-" if summary["mean"] is None else f"{summary['mean']:.4f}"
        self.say(
            _("Reward run %(number)d: %(rewards)d rewards, %(unscored)d unscored, mean %(mean)s.")
            % {**summary, "number": run.number, "mean": mean}
        )
        for reason, count in summary["unscored_by_reason"].items():
            self.say(_("  unscored, %(reason)s: %(count)d") % {"reason": reason, "count": count})
        for problem in summary["problems"]:
            self.say(problem)
        return Outcome({name: summary[name] for name in ("rewards", "unscored", "mean")})
