"""A bundle as a folder, byte for byte what is stored; a folder is whole or not there at all."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.utils.translation import gettext as _

from apps.activity.errors import BadInput
from apps.bundles import selectors
from apps.bundles.models import Bundle, BundleFile
from rubricstudio.core.bundle import MANIFEST

FOLDER_MODE = 0o755


def check_folder(folder: Path) -> None:
    """Refuse early what no bundle can be written to: BadInput with a sentence."""
    with writing_to(folder):
        if folder.exists() and not folder.is_dir():
            raise BadInput(
                _("%(folder)s is a file: name a folder for the bundle.") % _named(folder)
            )
        if _is_filled(folder) and not (folder / MANIFEST).is_file():
            raise _refusal(folder)


def export_bundle(*, bundle: Bundle, folder: Path) -> None:
    """Write the bundle to a folder that is empty or not there; a folder that holds it stays.

    Raises BadInput for any other folder, and for one that cannot be written.
    """
    check_folder(folder)
    files = list(bundle.files.all())
    if _is_filled(folder):
        if not _holds(folder, files):
            raise _refusal(folder)
        return
    with writing_to(folder), _sibling(folder) as partial:
        for file in files:
            _write(file, partial / file.path)
        partial.replace(folder)


@contextmanager
def writing_to(folder: Path | str) -> Iterator[None]:
    """A disk that is full, read-only or forbidden is told in a sentence: raises BadInput."""
    try:
        yield
    except OSError as error:
        raise BadInput(
            _("The bundle cannot be written to %(folder)s: %(reason)s.")
            % {"folder": folder, "reason": error.strerror or error}
        ) from error


@contextmanager
def _sibling(folder: Path) -> Iterator[Path]:
    """A folder beside the wanted one, to be renamed when it is complete; else it vanishes."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        partial.chmod(FOLDER_MODE)
        yield partial
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _write(file: BundleFile, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as target:
        target.writelines(selectors.read_bytes(file))


def _is_filled(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _holds(folder: Path, files: list[BundleFile]) -> bool:
    """Whether a folder has these files, to the byte, and no other."""
    found = {
        path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()
    }
    return found.keys() == {file.path for file in files} and all(
        _sha256(found[file.path]) == file.sha256 for file in files
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def _refusal(folder: Path) -> BadInput:
    return BadInput(
        _("%(folder)s is not empty and does not hold this bundle: name another folder.")
        % _named(folder)
    )


def _named(folder: Path) -> dict[str, Path]:
    return {"folder": folder}
