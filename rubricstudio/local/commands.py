"""What a management command finds running before it starts.

A command that needs the database or the model server starts them if nobody has, and stops what it
started. Nothing of that appears on standard output, whose last line is the command's own.
"""

import contextlib
import sys
from collections.abc import Callable, Sequence

from rubricstudio.local import move, up
from rubricstudio.local.database import borrow_database
from rubricstudio.local.errors import LocalError
from rubricstudio.local.migrations import migrate_if_needed
from rubricstudio.local.model import borrow_model

# Commands of the embedded layout itself, which no Django is needed for.
OWN: dict[str, Callable[[Sequence[str]], int]] = {"up": up.main, "move_data": move.main}
WITHOUT_DATABASE = {
    *("help", "version", "check", "test", "testserver", "diffsettings"),
    *("makemessages", "compilemessages", "collectstatic", "findstatic"),
    # It only warns when it cannot compare with a database.
    *("makemigrations", "squashmigrations", "startapp", "startproject"),
    "checker_doctor",
}
# They look at migrations or change them, so none may run before.
WITHOUT_MIGRATION = {
    *("migrate", "showmigrations", "sqlmigrate", "optimizemigration"),
    *("dbshell", "inspectdb", "flush"),
    "worker_beats",  # a probe changes nothing
}
WITH_MODEL = {"make_specs", "judge"}
NO_MODEL = "--no-model"


def run(arguments: Sequence[str], *, django: Callable[[], None]) -> int:
    """Run one command line (without the program's name); the exit code.

    ``django`` executes a command of Django's, when what it needs is running.
    """
    name = arguments[0] if arguments else "help"
    try:
        if name in OWN:
            return OWN[name](arguments[1:])
        with contextlib.ExitStack() as needs:
            _provide(name, arguments, needs)
            django()
    except LocalError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _provide(name: str, arguments: Sequence[str], needs: contextlib.ExitStack) -> None:
    """Enter into ``needs`` what the command uses while it runs."""
    asks_for_help = name.startswith("-") or {"--help", "-h"} & set(arguments)
    if name in WITHOUT_DATABASE or asks_for_help:
        return
    needs.enter_context(borrow_database())
    if name not in WITHOUT_MIGRATION:
        migrate_if_needed()
    if name in WITH_MODEL and NO_MODEL not in arguments:
        try:
            needs.enter_context(borrow_model())
        except LocalError as error:  # the project may have a model server of its own
            print(error, file=sys.stderr)
