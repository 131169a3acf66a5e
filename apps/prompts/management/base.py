"""What the commands that import a file have in common: its options, and the report."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from apps.activity.management.base import FlowCommand, Outcome
from apps.prompts.reading import FileFormat
from apps.prompts.services import ImportFile, ImportResult

REJECTS_SAID = 20


class ImportCommand(FlowCommand):
    """Says what was rejected, line by line, and reports the counts."""

    result_on_error = {"new": 0, "identical": 0, "changed": 0, "rejected": 0}
    # Pages show the same errors, so the errors themselves name no options.
    hint_on_error = "How a file is read: --format, --encoding and --map PART=COLUMN; see --help."
    shapes: Sequence[str] = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)
        self.add_project_argument(parser)
        parser.add_argument("--format", default="auto", choices=["auto", *FileFormat, *self.shapes])
        parser.add_argument("--encoding", default="", help="where it cannot be told for certain")
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            type=part_and_column,
            metavar="PART=COLUMN",
            help="which column plays a part, e.g. prompt=Story; may be repeated",
        )
        parser.add_argument("--dry-run", action="store_true", help="count, and write nothing")

    def report(self, result: ImportResult) -> Outcome:
        tally = result.tally
        for reject in tally.rejects[:REJECTS_SAID]:
            column = f":{reject.column}" if reject.column else ""
            self.say(f"{_('line')} {reject.line}{column}: {reject.reason} | {reject.excerpt}")
        if tally.rejected > REJECTS_SAID:
            self.say(
                _("… and %(count)d more rejected rows, listed with the import.")
                % {"count": tally.rejected - REJECTS_SAID}
            )
        for note in tally.notes:
            self.say(note)
        counts = tally.counts()
        return Outcome(counts, complete=tally.rejected < sum(counts.values()))


def file_of(options: dict[str, Any], **origin: str) -> ImportFile:
    """The file with what the options say about it."""
    return ImportFile(
        path=options["file"],
        format=options["format"],
        encoding=options["encoding"],
        columns=dict(options["map"]),
        **origin,
    )


def part_and_column(text: str) -> tuple[str, str]:
    part, mark, column = text.partition("=")
    if not (part and mark and column):
        raise ArgumentTypeError(f"{text!r} is not PART=COLUMN, e.g. prompt=Story")
    return part, column
