"""The command ``rubricstudio``: what can be done with a bundle without a server.

Messages go to standard error. The last line of standard output is one JSON object. The exit code
is 0 when the bundle is the one that was frozen, 1 when it is not, 2 for wrong usage.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rubricstudio.core.bundle import Verification, verify_bundle
from rubricstudio.core.errors import BundleError

OK, WRONG, USAGE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    return _verify(options.folder, options.id)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="rubricstudio", description="Work with frozen bundles.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    verify = commands.add_parser(
        "verify",
        help="check that a folder is byte for byte the bundle that was frozen",
        description="Check the manifest, the hash of every listed file, that no other file is "
        "there, and that the contents agree with each other. Nothing is changed.",
    )
    verify.add_argument("folder", type=Path, metavar="DIR", help="the folder of the bundle")
    verify.add_argument("--id", metavar="BUNDLE_ID", help="the bundle it has to be")
    return parser


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
