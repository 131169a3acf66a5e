"""What lies where in a bundle, and the hashes that hold it together.

``bundle_id`` is the sha256 of the canonical JSON list of ``[path, sha256]`` of the content files,
sorted by path. The manifest stands outside it, and so do copies of content in another form (such
as parquet); both are verified all the same.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from rubricstudio.core.canonical import canonical_hash, sha256_hex
from rubricstudio.core.errors import BundleError
from rubricstudio.core.types import Json

FORMAT: Final = "rubricstudio.reward-spec/1"
MANIFEST: Final = "manifest.json"
PROMPTS: Final = "prompts.jsonl"
SPECS: Final = "specs.jsonl"
CONFIG: Final = "config.json"
TEMPLATES: Final = "templates"

Contents = bytes
"""The bytes of a file; a name of its own, since an entry has a field ``bytes``."""

_PATH: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file of a bundle as the manifest lists it; ``rows`` is for files of lines."""

    path: str
    sha256: str
    bytes: int
    rows: int | None = None

    @classmethod
    def of(cls, path: str, data: Contents) -> "FileEntry":
        """The entry of a file with these contents."""
        rows = data.count(b"\n") if path.endswith(".jsonl") else None
        return cls(check_path(path), sha256_hex(data), len(data), rows)

    @classmethod
    def from_dict(cls, data: Any) -> "FileEntry":
        """Read an entry of a manifest; raises :class:`BundleError`."""
        if not isinstance(data, dict) or set(data) != {"path", "sha256", "bytes", "rows"}:
            raise BundleError(
                f"a listed file is {data!r:.80}; it needs path, sha256, bytes and rows",
                path=MANIFEST,
            )
        entry = cls(**data)
        hashed = isinstance(entry.sha256, str) and _SHA256.fullmatch(entry.sha256)
        sized = isinstance(entry.bytes, int) and isinstance(entry.rows, int | None)
        if not hashed or not sized:
            raise BundleError(
                f"the listed file {entry.path!r:.80} has no hash, or a size that is no number",
                path=MANIFEST,
            )
        check_path(entry.path)
        return entry

    def to_dict(self) -> dict[str, Json]:
        """The entry as the manifest holds it."""
        return {"path": self.path, "sha256": self.sha256, "bytes": self.bytes, "rows": self.rows}


def check_path(path: Any) -> str:
    """A path that stays inside the bundle on every system; raises :class:`BundleError`."""
    if not isinstance(path, str) or len(path) > 200 or _PATH.fullmatch(path) is None:
        raise BundleError(
            f"a file of a bundle is named {path!r:.80}; names have letters, digits, points, "
            "hyphens and underscores, and folders are parted by /",
            path=MANIFEST,
        )
    return path


def bundle_id(entries: Iterable[FileEntry]) -> str:
    """The id of a bundle with these content files."""
    return canonical_hash(sorted([entry.path, entry.sha256] for entry in entries))
