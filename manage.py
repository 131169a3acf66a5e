#!/usr/bin/env python3
"""Every command of Rubric Studio: `up`, `move_data`, ours and those of Django."""

import os
import sys

from rubricstudio.local import commands


def execute_django_command() -> None:
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rubricstudio.settings.dev")
    sys.exit(commands.run(sys.argv[1:], django=execute_django_command))
