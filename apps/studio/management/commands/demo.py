"""`manage.py demo`: the demo project, brought in where it is missing."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from apps.activity.management.base import FlowCommand, Outcome
from apps.studio.demo import restore_demo


class Command(FlowCommand):
    help = "Restore the demo project; one that is there stays as it is."
    result_on_error = {"project": None, "restored": False}

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--first-start",
            action="store_true",
            help="only where there is no project yet, and never a second time",
        )

    def run(self, **options: Any) -> Outcome:
        demo = restore_demo(first_start=options["first_start"])
        if demo is None:
            self.say(_("The demo project is not wanted here: there are other projects, or it was."))
            return Outcome({"project": None, "restored": False})
        if not demo.is_new:
            self.say(_("The demo project is there already, and stays as it is."))
        return Outcome({"project": demo.project.slug, "restored": demo.is_new})
