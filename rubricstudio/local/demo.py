"""The demo project, which a first start brings in."""

import subprocess
from pathlib import Path

import psycopg

from rubricstudio.local import paths
from rubricstudio.local.errors import LocalError
from rubricstudio.local.reporting import report_of

# Asked here, for loading Django takes seconds and only the first start needs it.
IS_UNTOUCHED = "SELECT NOT EXISTS (SELECT 1 FROM accounts_project)"


def is_first_start() -> bool:
    """Whether there is no project yet; the command looks closer."""
    with psycopg.connect(paths.database_url(), connect_timeout=10) as connection:
        return connection.execute(IS_UNTOUCHED).fetchone() == (True,)


def bring_demo(data: Path) -> str:
    """Bring the demo project in, and say so. Raises `LocalError` when that failed."""
    log = paths.log_file(data, "demo")
    try:
        report = report_of("demo", "--first-start", log=log)
    except subprocess.SubprocessError:
        raise LocalError(
            f"The demo project could not be brought in (its log is {log}); try: "
            "python manage.py demo"
        ) from None
    return "the demo project is there" if report["restored"] else "left as it was"
