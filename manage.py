#!/usr/bin/env python3
"""Every command of Rubric Studio: `up`, `move_data`, ours and those of Django."""

import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130  # as shells have it: 128 and the number of SIGINT


def main() -> int:
    """Run the command line; its exit code."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rubricstudio.settings.dev")
    try:
        from rubricstudio.local import commands

        return commands.run(sys.argv[1:], django=execute_django_command)
    except KeyboardInterrupt:
        return INTERRUPTED


def execute_django_command() -> None:
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


def interrupt(signum: int, frame: FrameType | None) -> None:
    """Say at once that Ctrl-C was heard: what was started for a command takes seconds to stop."""
    os.write(sys.stderr.fileno(), b"Interrupted: stopping what was started ...\n")
    raise KeyboardInterrupt


if __name__ == "__main__":
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored
        signal.signal(signal.SIGINT, interrupt)
    sys.exit(main())
