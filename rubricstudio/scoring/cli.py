"""The command ``rubricstudio``: what can be done without a server.

Messages go to standard error, JSON objects to standard output: one at the end for ``verify``, one a
row for ``check`` and ``fuse``. The exit code is 0 when the bundle is the one that was frozen, or
every row could be read; 1 when not; 2 for wrong usage.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rubricstudio.core.bundle import Verification, verify_bundle
from rubricstudio.core.errors import BundleError
from rubricstudio.core.fusion import RULES
from rubricstudio.core.types import DIALECTS, IFEVAL
from rubricstudio.scoring.checking import Reading, check_lines
from rubricstudio.scoring.fusing import fuse_lines

OK, WRONG, USAGE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    code: int = options.run(options)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rubricstudio",
        description="Work with bundles, constraints and scores without a server.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_verify(commands)
    _add_check(commands)
    _add_fuse(commands)
    return parser


def _add_verify(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    verify = commands.add_parser(
        "verify",
        help="check that a folder is byte for byte the bundle that was frozen",
        description="Check the manifest, the hash of every listed file, that no other file is "
        "there, and that the contents agree with each other. Nothing is changed.",
    )
    verify.add_argument("folder", type=Path, metavar="DIR", help="the folder of the bundle")
    verify.add_argument("--id", metavar="BUNDLE_ID", help="the bundle it has to be")
    verify.set_defaults(run=lambda options: _verify(options.folder, options.id))


def _add_check(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    check = commands.add_parser(
        "check",
        help="check responses against the instructions or constraints beside them",
        description="Read rows of JSON with a response and either instruction_id_list and kwargs "
        "or constraints; write one line of JSON for each, in order.",
    )
    check.add_argument("file", metavar="FILE", help="the file of rows, - for standard input")
    check.add_argument(
        "--dialect", required=True, choices=DIALECTS, help="how responses are read and counted"
    )
    check.add_argument(
        "--loose",
        action="store_true",
        help="the loose reading of ifeval/1: without the first line, the last line or stars",
    )
    check.set_defaults(run=_check)


def _add_fuse(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    fuse = commands.add_parser(
        "fuse",
        help="turn the scores of groups into rewards",
        description="Read rows of JSON with an aggregator, the scores of a group (criteria by "
        "responses, null if missing), weights and settings; write one line of JSON for each, in "
        f"order. The aggregators are {', '.join(RULES)}.",
    )
    fuse.add_argument("file", metavar="FILE", help="the file of rows, - for standard input")
    fuse.set_defaults(run=lambda options: _answer_rows(options.file, fuse_lines))


def _verify(folder: Path, expected_id: str | None) -> int:
    try:
        found = verify_bundle(folder, expected_id=expected_id)
    except BundleError as error:
        print(error, file=sys.stderr)
        print(json.dumps({"bundle_id": "", "files": 0, "specs": 0, "ok": False}))
        return USAGE
    for path, sentence in found.problems:
        print(f"{path}: {sentence}", file=sys.stderr)
    if found.ok:
        print(f"{folder} is the bundle {found.bundle_id}.", file=sys.stderr)
    print(json.dumps(_summary(found)))
    return OK if found.ok else WRONG


def _summary(found: Verification) -> dict[str, object]:
    return {
        "bundle_id": found.bundle_id,
        "files": found.files,
        "specs": found.specs,
        "ok": found.ok,
    }


def _check(options: argparse.Namespace) -> int:
    if options.loose and options.dialect != IFEVAL:
        print(
            f"--loose goes with --dialect {IFEVAL}; {options.dialect} has one reading alone.",
            file=sys.stderr,
        )
        return USAGE
    reading = Reading(options.dialect, loose=options.loose)
    return _answer_rows(options.file, lambda lines: check_lines(lines, reading))


def _answer_rows(
    name: str, answers: Callable[[Iterable[bytes]], Iterable[Mapping[str, Any]]]
) -> int:
    """Write one line of JSON for each row of a file; returns the exit code."""
    with ExitStack() as closing:
        lines: Iterable[bytes] = sys.stdin.buffer
        if name != "-":
            try:
                lines = closing.enter_context(Path(name).open("rb"))
            except OSError as error:
                print(f"{name} cannot be read: {error.strerror}.", file=sys.stderr)
                return USAGE
        return _write_rows(answers(lines))


def _write_rows(results: Iterable[Mapping[str, Any]]) -> int:
    code = OK
    for result in results:
        if "error" in result:
            code = WRONG
            print(result["error"], file=sys.stderr)
        try:
            print(json.dumps(result, allow_nan=False), flush=True)
        except BrokenPipeError:
            # Who reads has enough, as `head` does. Nothing more is written, at exit neither.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return code
    return code
