"""Reading a manifest: it has to be byte for byte its own canonical form, and hold its own hash."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rubricstudio.core.bundle.layout import FORMAT, MANIFEST, FileEntry, bundle_id
from rubricstudio.core.canonical import canonical_hash, canonical_json
from rubricstudio.core.errors import BundleError, TamperedBundle


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest that agrees with itself: its values, the content files, the copies of them."""

    values: Mapping[str, Any]
    files: tuple[FileEntry, ...]
    copies: tuple[FileEntry, ...]

    @property
    def bundle_id(self) -> str:
        """The id that the listed files make."""
        return str(self.values["bundle_id"])

    @property
    def listed(self) -> tuple[FileEntry, ...]:
        """Every listed file; all but the manifest itself."""
        return self.files + self.copies


def read_manifest(folder: Path) -> Manifest:
    """The manifest of the bundle in a folder.

    Raises :class:`TamperedBundle` for one that was changed by hand, and :class:`BundleError` for
    one that is missing or of another format.
    """
    try:
        data = (folder / MANIFEST).read_bytes()
    except FileNotFoundError:
        raise BundleError(
            "there is no manifest.json, so this is no bundle", path=MANIFEST
        ) from None
    values = _values(data)
    if values.get("format") != FORMAT:
        raise BundleError(
            f"the format is {values.get('format')!r:.60}, and this release reads {FORMAT}",
            path=MANIFEST,
        )
    without = {key: value for key, value in values.items() if key != "manifest_sha256"}
    if values.get("manifest_sha256") != canonical_hash(without):
        raise TamperedBundle("it does not hold its own hash, so it was changed", path=MANIFEST)
    files, copies = _entries(values, "files"), _entries(values, "copies")
    _check_listed(files + copies)
    if values.get("bundle_id") != bundle_id(files):
        raise TamperedBundle("its bundle_id is not the one of the files it lists", path=MANIFEST)
    return Manifest(values, files, copies)


def _values(data: bytes) -> dict[str, Any]:
    try:
        values = json.loads(data)
        canonical = canonical_json(values)
    except (ValueError, RecursionError):
        raise TamperedBundle("it is not JSON in UTF-8", path=MANIFEST) from None
    if not isinstance(values, dict) or canonical != data:
        raise TamperedBundle("it is not in canonical form, so it was changed", path=MANIFEST)
    return values


def _entries(values: Mapping[str, Any], name: str) -> tuple[FileEntry, ...]:
    listed = values.get(name)
    if not isinstance(listed, list):
        raise BundleError(f"it has no list of {name}", path=MANIFEST)
    return tuple(FileEntry.from_dict(item) for item in listed)


def _check_listed(entries: tuple[FileEntry, ...]) -> None:
    for path, count in Counter(entry.path for entry in entries).items():
        if count > 1 or path == MANIFEST:
            raise BundleError(f"it lists {path} {count} times, or lists itself", path=MANIFEST)
