"""Data folders that leave nothing behind."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from rubricstudio.local import paths


@pytest.fixture
def data() -> Iterator[Path]:
    """A data folder directly under the temporary folder, so that its socket lies inside it."""
    folder = Path(tempfile.mkdtemp(prefix="rubricstudio-local-"))
    yield folder
    shutil.rmtree(paths.socket_dir(folder), ignore_errors=True)
    shutil.rmtree(folder)
