"""Data folders that leave nothing behind."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from rubricstudio.local import paths, postgres

NAMES = {"DATABASE_URL", "CELERY_BROKER_URL", "SITE_URL", *paths.MODEL_VARIABLES}


@pytest.fixture
def data() -> Iterator[Path]:
    """A data folder directly under the temporary folder, so that its socket lies inside it."""
    folder = Path(tempfile.mkdtemp(prefix="rubricstudio-local-"))
    yield folder
    shutil.rmtree(paths.socket_dir(folder), ignore_errors=True)
    shutil.rmtree(folder)


@pytest.fixture
def made(data: Path) -> Path:
    """A data folder whose cluster was made without waiting for the disk."""
    postgres.embedded_cluster(data, postgres.UNSAFE_AND_FAST).prepare()
    return data


class FirstCommand(NamedTuple):
    """What the first command in a new data folder gave."""

    data: Path
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture(scope="session")
def first_command() -> Iterator[FirstCommand]:
    """A data folder in which a command has run: it has every table, and takes long to make."""
    with tempfile.TemporaryDirectory(prefix="rubricstudio-local-") as folder:
        data = Path(folder)
        postgres.embedded_cluster(data, postgres.UNSAFE_AND_FAST).prepare()
        environment = {name: os.environ[name] for name in os.environ.keys() - NAMES}
        answer = subprocess.run(
            [sys.executable, "manage.py", "shell", "--no-imports", "-c", "print('{}')"],
            cwd=paths.CHECKOUT,
            env={**environment, "RUBRICSTUDIO_DATA": str(data)},
            capture_output=True,
            text=True,
        )
        yield FirstCommand(data, answer.returncode, answer.stdout, answer.stderr)


@pytest.fixture
def nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """No server is named in the environment, so the embedded ones are meant."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
