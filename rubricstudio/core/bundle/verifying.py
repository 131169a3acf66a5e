"""Verifying a bundle in a folder: is it byte for byte the one that was frozen?

Without an expected id this proves that the bundle is whole and agrees with itself; with one, that
it is that very bundle.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from rubricstudio.core.bundle.codes import missing_codes
from rubricstudio.core.bundle.layout import CONFIG, MANIFEST, PROMPTS, SPECS, FileEntry
from rubricstudio.core.bundle.manifest import Manifest, read_manifest
from rubricstudio.core.canonical import canonical_json, sha256_hex
from rubricstudio.core.errors import BundleError, CoreError, TamperedBundle
from rubricstudio.core.types import SpecValue

CHUNK: Final = 1024 * 1024

# What reading contents of any shape may raise; the hashes are right, so somebody froze nonsense.
_UNREADABLE: Final = (ValueError, TypeError, KeyError, AttributeError, RecursionError)


class Problem(NamedTuple):
    """What is wrong, and in which file."""

    path: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found: how many files and specs, and every problem."""

    bundle_id: str
    files: int
    specs: int
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        """Whether the bundle is the one that was frozen."""
        return not self.problems

    def require(self) -> None:
        """Raise :class:`TamperedBundle` naming the first file that is wrong."""
        if self.problems:
            path, sentence = self.problems[0]
            raise TamperedBundle(f"{path}: {sentence}", path=path)


def verify_bundle(folder: Path, *, expected_id: str | None = None) -> Verification:
    """Check the manifest, every listed file, and that nothing else lies in the folder.

    Raises :class:`BundleError` only where there is no folder to look into.
    """
    if not folder.is_dir():
        raise BundleError(f"there is no folder {folder}")
    try:
        manifest = read_manifest(folder)
    except CoreError as error:
        return Verification("", 0, 0, (Problem(MANIFEST, str(error)),))
    problems = list(_file_problems(folder, manifest))
    if expected_id is not None and manifest.bundle_id != expected_id:
        problems.append(
            Problem(MANIFEST, f"this is the bundle {manifest.bundle_id}, not {expected_id}")
        )
    if not problems:
        # Only what hashes right is worth reading.
        problems = list(_content_problems(folder, manifest))
    specs = next((entry.rows or 0 for entry in manifest.files if entry.path == SPECS), 0)
    return Verification(manifest.bundle_id, len(manifest.listed) + 1, specs, tuple(problems))


def _file_problems(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    listed = {entry.path for entry in manifest.listed}
    for entry in manifest.listed:
        sentence = _file_problem(folder / entry.path, entry)
        if sentence:
            yield Problem(entry.path, sentence)
    for path in _walk(folder):
        if path not in listed and path != MANIFEST:
            yield Problem(path, "it is not listed in the manifest")


def _file_problem(path: Path, entry: FileEntry) -> str:
    if path.is_symlink() or not path.is_file():
        return "it is missing" if not path.exists() else "it is not a plain file"
    if path.stat().st_size != entry.bytes:
        return f"it has {path.stat().st_size:,} bytes, and {entry.bytes:,} were frozen"
    digest, lines = _read_through(path)
    if digest != entry.sha256:
        return "it was changed: its hash is not the one that was frozen"
    if entry.rows not in (None, lines):
        return f"it has {lines:,} lines, and {entry.rows:,} are listed"
    return ""


def _read_through(path: Path) -> tuple[str, int]:
    """The sha256 of a file and the number of its lines, read in pieces."""
    digest, lines = hashlib.sha256(), 0
    with path.open("rb") as source:
        while piece := source.read(CHUNK):
            digest.update(piece)
            lines += piece.count(b"\n")
    return digest.hexdigest(), lines


def _walk(folder: Path) -> Iterator[str]:
    """Every file and link below a folder, by path inside it, in order."""
    for place, folders, files in os.walk(folder):
        folders.sort()
        links = [name for name in folders if Path(place, name).is_symlink()]
        for name in sorted([*files, *links]):
            yield Path(place, name).relative_to(folder).as_posix()


def _content_problems(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    listed = {entry.path: entry for entry in manifest.files}
    absent = [path for path in (SPECS, PROMPTS, CONFIG) if path not in listed]
    yield from (Problem(path, "a bundle needs it, and it is not listed") for path in absent)
    if absent:
        return
    spec_ids: set[str] = set()
    checks: dict[str, Callable[[], None]] = {
        SPECS: lambda: spec_ids.update(_read_specs(folder / SPECS, listed)),
        PROMPTS: lambda: _check_prompts(folder / PROMPTS, spec_ids),
        CONFIG: lambda: _check_config(folder / CONFIG, manifest),
    }
    for path, check in checks.items():
        try:
            check()
        except _UNREADABLE as error:
            yield Problem(path, f"it cannot be read: {error}")


def canonical_lines(path: Path) -> Iterator[tuple[bytes, Any]]:
    """Each line of a file with its value; raises :class:`BundleError` for one that is another."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            text = line.removesuffix(b"\n")
            value = json.loads(text)
            if canonical_json(value) != text or text == line:
                raise BundleError(f"line {number} is not in canonical form")
            yield text, value


def _read_specs(path: Path, listed: Mapping[str, FileEntry]) -> set[str]:
    spec_ids = set()
    for number, (line, value) in enumerate(canonical_lines(path), start=1):
        spec = SpecValue.from_dict(value)
        for code in missing_codes([spec], listed):
            raise BundleError(f"line {number} needs the checker {code}, which is not in the bundle")
        spec_ids.add(sha256_hex(line))
    return spec_ids


def _check_prompts(path: Path, spec_ids: set[str]) -> None:
    keys: set[str] | None = None
    for number, (_, row) in enumerate(canonical_lines(path), start=1):
        keys = keys or set(row)
        if set(row) != keys:
            raise BundleError(f"line {number} has other keys than the first")
        if row["spec_id"] not in spec_ids:
            raise BundleError(f"line {number} refers to a spec that is not in {SPECS}")


def _check_config(path: Path, manifest: Manifest) -> None:
    config = json.loads(path.read_bytes())
    for key, value in config.items():
        if manifest.values.get(key) != value:
            raise BundleError(f"its {key} is not the one of the manifest")
