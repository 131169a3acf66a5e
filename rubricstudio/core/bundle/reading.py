"""Reading a bundle in a folder."""

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from rubricstudio.core.bundle.layout import CONFIG, PROMPTS, SPECS, TEMPLATES
from rubricstudio.core.bundle.manifest import Manifest, read_manifest
from rubricstudio.core.bundle.verifying import canonical_lines, verify_bundle
from rubricstudio.core.canonical import sha256_hex
from rubricstudio.core.checkers.generated import code_path
from rubricstudio.core.errors import BundleError
from rubricstudio.core.rewards import Aggregator, aggregator_from_dict
from rubricstudio.core.types import SpecValue


class Bundle:
    """A frozen bundle: its specs, its prompts, and how they are scored."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest

    @classmethod
    def load(cls, path: str | Path, verify: bool = True) -> "Bundle":
        """The bundle in a folder.

        ``verify`` checks every hash first. Raises :class:`BundleError` where there is no bundle,
        and :class:`TamperedBundle` naming the file that is not the one that was frozen.
        """
        folder = Path(path)
        if verify:
            verify_bundle(folder).require()
        return cls(folder, read_manifest(folder))

    @property
    def bundle_id(self) -> str:
        """The id that the content has."""
        return self.manifest.bundle_id

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """How the specs are scored: aggregation, judge, checkers."""
        config: Mapping[str, Any] = json.loads((self.folder / CONFIG).read_bytes())
        return config

    @cached_property
    def aggregator(self) -> Aggregator:
        """The rule that makes rewards out of verdicts, under its frozen settings."""
        return aggregator_from_dict(self.config["aggregation"])

    @cached_property
    def specs(self) -> Mapping[str, SpecValue]:
        """Every spec by its id, in the order of the file."""
        lines = canonical_lines(self.folder / SPECS)
        return {sha256_hex(line): SpecValue.from_dict(value) for line, value in lines}

    @cached_property
    def spec_ids(self) -> Mapping[str, str]:
        """The id of the spec of each prompt."""
        return {row["prompt_id"]: row["spec_id"] for row in self.prompts()}

    def spec(self, *, spec_id: str = "", prompt_id: str = "") -> SpecValue:
        """One spec by its id or its prompt's; raises :class:`BundleError` for an unknown one."""
        wanted = spec_id or self.spec_ids.get(prompt_id, "")
        if wanted not in self.specs:
            named = f"spec {spec_id!r:.80}" if spec_id else f"prompt {prompt_id!r:.80}"
            raise BundleError(f"the bundle {self.bundle_id} has no {named}")
        return self.specs[wanted]

    def prompts(self) -> Iterator[Mapping[str, Any]]:
        """The rows that trainers read, one by one."""
        return (row for _, row in canonical_lines(self.folder / PROMPTS))

    @property
    def interpreter(self) -> str:
        """The Python that generated checkers were validated with; empty where there are none."""
        return str(self.config.get("interpreter", ""))

    def code(self, sha256: str) -> str:
        """The code of a generated checker; raises :class:`BundleError` for one not in here."""
        path = code_path(sha256)
        if path not in {entry.path for entry in self.manifest.files}:
            raise BundleError(f"the bundle {self.bundle_id} has no checker {sha256!r:.80}")
        return (self.folder / path).read_bytes().decode("utf-8", "surrogatepass")

    @cached_property
    def templates(self) -> Mapping[str, str]:
        """The judge templates by name."""
        inside = f"{TEMPLATES}/"
        names = [one.path for one in self.manifest.files if one.path.startswith(inside)]
        return {Path(name).stem: (self.folder / name).read_text("utf-8") for name in names}
