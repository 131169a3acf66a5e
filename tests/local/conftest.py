"""Data folders that leave nothing behind."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from rubricstudio.local import paths, postgres


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


@pytest.fixture
def nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """No server is named in the environment, so the embedded ones are meant."""
    for name in ("DATABASE_URL", "CELERY_BROKER_URL", "SITE_URL", *paths.MODEL_VARIABLES):
        monkeypatch.delenv(name, raising=False)
