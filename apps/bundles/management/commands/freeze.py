"""`manage.py freeze`: the specs of a project become a bundle, in the database and in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import Project
from apps.accounts.selectors import get_project, get_user
from apps.activity.errors import Conflict
from apps.activity.management.base import FlowCommand, Outcome
from apps.bundles import selectors, services
from apps.bundles.services import Frozen
from apps.rewards.services import DEFAULT, config_named

NAMED_AT_MOST = 20


class Command(FlowCommand):
    help = "Freeze the specs of a project into a bundle, and write it to a folder."
    result_on_error = {"bundle_id": None, "specs": 0}

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_project_argument(parser)
        parser.add_argument(
            "--out", required=True, type=Path, metavar="DIR", help="the folder to become the bundle"
        )
        parser.add_argument("--name", default="", help="by default the project's slug")
        parser.add_argument(
            "--config", default=DEFAULT, metavar="NAME", help="the reward configuration"
        )
        parser.add_argument(
            "--approve-as", metavar="USER", help="a reviewer who approves what is not approved yet"
        )
        parser.add_argument(
            "--waive", metavar="REASON", help="take every open item of the checklist, and say why"
        )

    def run(self, **options: Any) -> Outcome:
        project = get_project(options["project"])
        services.check_folder(options["out"])
        approver = get_user(options["approve_as"]) if options["approve_as"] else None
        frozen = self._freeze(
            project=project,
            config=config_named(project=project, name=options["config"]),
            name=options["name"],
            approve_as=approver,
            waive=options["waive"],
            actor=approver,
        )
        services.export_bundle(bundle=frozen.bundle, folder=options["out"])
        self._say_what_was_done(project, frozen)
        counts = frozen.bundle.manifest["counts"]
        return Outcome({"bundle_id": frozen.bundle.bundle_id, "specs": counts["specs"]})

    def _freeze(self, **wish: Any) -> Frozen:
        try:
            return services.freeze(**wish)
        except Conflict as error:
            if error.extra.get("items"):
                self.say(
                    _(
                        "--approve-as USER approves every spec as that reviewer; --waive REASON "
                        "takes every open item."
                    )
                )
            raise

    def _say_what_was_done(self, project: Project, frozen: Frozen) -> None:
        for item in frozen.waived:
            self.say(_("Waived: %(sentence)s") % {"sentence": item.finding.sentence})
        self._name_left_out(project)
        told = _("Frozen as %(bundle)s.") if frozen.is_new else _("Frozen before, as %(bundle)s.")
        self.say(told % {"bundle": frozen.bundle})

    def _name_left_out(self, project: Project) -> None:
        prompts = selectors.left_out(project)
        count = prompts.count()
        if not count:
            return
        numbers = prompts.values_list("number", flat=True)[:NAMED_AT_MOST]
        dots = ["…"] if count > NAMED_AT_MOST else []
        self.say(
            ngettext(
                "%(count)d prompt is left out, because it has no spec that can score: %(numbers)s.",
                "%(count)d prompts are left out, because they have no spec that can score: "
                "%(numbers)s.",
                count,
            )
            % {"count": count, "numbers": ", ".join([*map(str, numbers), *dots])}
        )
