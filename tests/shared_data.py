"""Where the shared public data lies: beside the checkout, never inside it."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"


def shared_path(name: str) -> Path:
    """The path of one shared file; without it CI fails and another machine skips, saying so."""
    path = SHARED / name
    if path.exists():
        return path
    message = f"the shared public data is not beside the checkout: {name} is missing"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)
