"""Writing a bundle of any number of specs into a folder, one line after the other.

The bytes are those that ``build_bundle`` makes of the same specs; only the counts are held in
memory. The content comes first, since the id of the bundle is the content's; then the manifest.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple

from rubricstudio.core.bundle.building import (
    BundleConfig,
    BundleHeader,
    Counts,
    check_spec,
    make_manifest,
    prompt_line,
)
from rubricstudio.core.bundle.codes import CodeOf, code_files, codes_in, no_code
from rubricstudio.core.bundle.layout import (
    CONFIG,
    MANIFEST,
    PROMPTS,
    SPECS,
    TEMPLATES,
    FileEntry,
    bundle_id,
    check_path,
)
from rubricstudio.core.canonical import canonical_json, sha256_hex
from rubricstudio.core.errors import BundleError
from rubricstudio.core.types import Json, SpecValue


class SpecLine(NamedTuple):
    """A spec as it is stored: its id, the canonical line behind it, the split of its prompt."""

    spec_id: str
    line: bytes
    split: str = "train"


@dataclass(frozen=True, slots=True)
class BundleContent:
    """The content files of a bundle in a folder, by path, and what they hold."""

    files: tuple[FileEntry, ...]
    counts: Mapping[str, Json]

    @property
    def bundle_id(self) -> str:
        """The id of every bundle with this content."""
        return bundle_id(self.files)


def write_content(
    specs: Iterable[SpecLine],
    folder: Path,
    *,
    config: BundleConfig,
    templates: Mapping[str, str] | None = None,
    code: CodeOf = no_code,
) -> BundleContent:
    """Write the content files of a bundle into an empty folder.

    The specs come in the order of their prompt ids; ``code`` gives the code of a generated checker
    by its hash. Raises :class:`BundleError` with a sentence
    for one that is out of order, is not the one that its id names, or cannot be frozen.
    """
    texts = {f"{TEMPLATES}/{name}.txt": text for name, text in (templates or {}).items()}
    codes: set[str] = set()
    with _Writer(folder, SPECS) as lines, _Writer(folder, PROMPTS) as prompts:
        counts = _write_lines(specs, lines, prompts, config, codes)
    entries = [lines.entry(rows=counts.specs), prompts.entry(rows=counts.specs)]
    whole = {CONFIG: canonical_json(config.to_dict()), **_encoded(texts), **code_files(codes, code)}
    for path, data in whole.items():
        with _Writer(folder, path) as writer:
            writer.write(data)
        entries.append(writer.entry())
    return BundleContent(tuple(sorted(entries, key=lambda entry: entry.path)), counts.to_dict())


def write_manifest(
    content: BundleContent, folder: Path, *, header: BundleHeader, config: BundleConfig
) -> dict[str, Any]:
    """Complete the bundle in a folder that holds its content; the manifest that was written."""
    manifest = make_manifest(header, config, files=content.files, counts=content.counts)
    (folder / MANIFEST).write_bytes(canonical_json(manifest))
    return manifest


def _encoded(texts: Mapping[str, str]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in texts.items()}


def _write_lines(
    specs: Iterable[SpecLine],
    lines: "_Writer",
    prompts: "_Writer",
    config: BundleConfig,
    codes: set[str],
) -> Counts:
    """Write the two files of lines; the hashes of generated checkers are added to ``codes``."""
    counts, before = Counts(), ""
    for index, (spec_id, line, split) in enumerate(specs):
        spec = _read(spec_id, line)
        if spec.prompt_id <= before:
            raise BundleError(
                f"the spec of the prompt {spec.prompt_id!r:.60} comes after that of "
                f"{before!r:.60}; specs are frozen one a prompt, in the order of the prompt ids"
            )
        check_spec(spec, config.aggregator)
        lines.write(line + b"\n")
        prompts.write(prompt_line(spec, index=index, spec_id=spec_id, split=split) + b"\n")
        counts.add(spec)
        codes.update(codes_in(spec))
        before = spec.prompt_id
    if not counts.specs:
        raise BundleError("a bundle needs at least one spec")
    return counts


def _read(spec_id: str, line: bytes) -> SpecValue:
    if sha256_hex(line) != spec_id:
        raise BundleError(f"the line of the spec {spec_id!r:.80} is not the one that its id names")
    return SpecValue.from_dict(json.loads(line))


class _Writer:
    """A file that is hashed and measured while it is written."""

    def __init__(self, folder: Path, path: str) -> None:
        self.path = check_path(path)
        self._place = folder / path
        self._digest = hashlib.sha256()
        self._size = 0

    def write(self, data: bytes) -> None:
        self._file.write(data)
        self._digest.update(data)
        self._size += len(data)

    def entry(self, *, rows: int | None = None) -> FileEntry:
        return FileEntry(self.path, self._digest.hexdigest(), self._size, rows)

    def __enter__(self) -> "_Writer":
        self._place.parent.mkdir(parents=True, exist_ok=True)
        self._file: BinaryIO = self._place.open("wb")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()
