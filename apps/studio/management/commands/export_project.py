from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from apps.accounts.selectors import get_project
from apps.activity.errors import BadInput
from apps.activity.management.base import FlowCommand, Outcome
from apps.studio import services


class Command(FlowCommand):
    help = "Write a whole project to one file, a zip of JSON lines with their hashes."
    result_on_error = {"file": None, "rows": 0, "bytes": 0}

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_project_argument(parser)
        parser.add_argument(
            "--out", type=Path, required=True, metavar="FILE", help="the file to write"
        )

    def run(self, **options: Any) -> Outcome:
        project, path = get_project(options["project"]), options["out"]
        if path.exists():
            raise BadInput(_("%(file)s is there already: name another file.") % {"file": path})
        partial = path.with_name(f".{path.name}.part")
        try:
            size = services.export_to(partial, project)
            partial.rename(path)
        except OSError as error:
            raise BadInput(
                _("%(file)s cannot be written: %(reason)s.")
                % {"file": path, "reason": error.strerror or error}
            ) from error
        finally:
            partial.unlink(missing_ok=True)
        with services.ProjectFile(path) as file:
            rows = sum(one.rows for one in file.entries.values())
            content = file.manifest["content_sha256"]
        return Outcome({"file": str(path), "rows": rows, "bytes": size, "content_sha256": content})
