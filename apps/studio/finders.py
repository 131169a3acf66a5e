"""Plotly's script is served from the package that is locked anyway; no copy of it is kept here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage, Storage

SCRIPT = "plotly.min.js"
PATH = f"vendor/{SCRIPT}"


class PlotlyFinder(BaseFinder):
    """Finds vendor/plotly.min.js."""

    def find(self, path: str, find_all: bool = False, **_kwargs: Any) -> Any:
        found = [str(_folder() / SCRIPT)] if path == PATH else []
        return found if find_all else (found[0] if found else [])

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Storage]]:
        storage = FileSystemStorage(location=_folder())
        storage.prefix = "vendor"  # type: ignore[attr-defined]  # where it is served, by convention
        yield SCRIPT, storage


def _folder() -> Path:
    """Without importing Plotly, which takes a second and is not needed to serve its script."""
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("The package plotly is not installed: install requirements.lock.")
    return Path(spec.origin).parent / "package_data"
