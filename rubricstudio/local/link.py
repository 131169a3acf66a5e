"""The one-time sign-in link of the first administrator, made by Django in a child process."""

import subprocess
from pathlib import Path

import psycopg

from rubricstudio.local import paths
from rubricstudio.local.errors import LocalError
from rubricstudio.local.reporting import report_of

# Asked here, for loading Django takes seconds and only the first start needs it.
HAS_SIGNED_IN = (
    "SELECT EXISTS (SELECT 1 FROM accounts_user WHERE is_superuser AND last_login IS NOT NULL)"
)


def first_link(data: Path) -> str | None:
    """A link that signs the first administrator in; None when one has signed in before.

    Raises `LocalError` when none could be made.
    """
    if _an_administrator_has_signed_in():
        return None
    log = paths.log_file(data, "signin_link")
    try:
        url: str = report_of("signin_link", "--first-admin", log=log)["url"]
    except subprocess.SubprocessError:
        raise LocalError(
            f"No sign-in link could be made (its log is {log}); try: python manage.py signin_link"
        ) from None
    return url


def _an_administrator_has_signed_in() -> bool:
    with psycopg.connect(paths.database_url(), connect_timeout=10) as connection:
        return connection.execute(HAS_SIGNED_IN).fetchone() == (True,)
