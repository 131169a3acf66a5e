"""Building a bundle out of plain values."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from rubricstudio.core.bundle.codes import code_files, codes_in
from rubricstudio.core.bundle.layout import (
    CONFIG,
    FORMAT,
    MANIFEST,
    PROMPTS,
    SPECS,
    TEMPLATES,
    FileEntry,
    bundle_id,
)
from rubricstudio.core.bundle.rows import prompt_row
from rubricstudio.core.canonical import canonical_hash, canonical_json, sha256_hex
from rubricstudio.core.checkers.generated import GENERATED
from rubricstudio.core.checkers.registry import REGISTRY_VERSION, normalised, refusal
from rubricstudio.core.errors import BundleError, CoreError
from rubricstudio.core.rewards import Aggregator, Hybrid
from rubricstudio.core.types import Json, SpecValue

PAPER_TRAINER: Final[Mapping[str, Json]] = {
    "algorithm": "GSPO",
    "rollout_batch": 32,
    "responses_per_prompt": 16,
    "global_batch": 512,
    "mini_batch": 32,
    "rollout_temperature": 1.0,
    "max_prompt_tokens": 2048,
    "max_response_tokens": 8192,
    "optimizer": "Adam",
    "learning_rate": 1e-6,
    "weight_decay": 0.1,
    "betas": [0.9, 0.98],
    "kl_coefficient": 0.001,
    "kl_kind": "low_variance",
    "entropy_coefficient": 0.0,
    "clip_low": 3e-4,
    "clip_high": 4e-4,
    "clip_constant": 10.0,
}
"""The trainer settings of paper 000, Table 8: for information, nothing here reads them."""


@dataclass(frozen=True, slots=True)
class BundleConfig:
    """How the specs of a bundle are scored; part of what the bundle id stands for.

    ``judge`` holds whatever identifies the judge and its answers: served model, weights revision,
    sampling, response format, template hashes, chat template hash, parser versions.
    ``interpreter`` names the Python that generated checkers were validated with; empty where the
    bundle has none.
    """

    aggregator: Aggregator = field(default_factory=Hybrid)
    judge: Mapping[str, Json] = field(default_factory=dict)
    meta_rubrics: Sequence[Json] = ()
    interpreter: str = ""

    def to_dict(self) -> dict[str, Json]:
        """The content of config.json."""
        return {
            "aggregation": self.aggregator.to_dict(),
            "judge": dict(self.judge),
            "checkers": REGISTRY_VERSION,
            "meta_rubrics": list(self.meta_rubrics),
            **({"interpreter": self.interpreter} if self.interpreter else {}),
        }


@dataclass(frozen=True, slots=True)
class BundleHeader:
    """What the manifest says about a bundle beside its content.

    ``created`` is a date and time in ISO 8601; ``parent`` the id of the bundle it comes from;
    ``sources`` say where the prompts come from, with licence and allowed use; ``waivers`` are the
    open items that were taken, with the reason; ``agreement`` is the human agreement known when it
    was frozen; ``release`` the version of the software that froze it.
    """

    name: str
    version: int
    created: str
    parent: str | None = None
    licence: str = ""
    sources: Sequence[Json] = ()
    waivers: Sequence[Json] = ()
    trainer: Mapping[str, Json] = field(default_factory=lambda: dict(PAPER_TRAINER))
    agreement: Json = None
    release: str = ""


@dataclass(frozen=True, slots=True)
class BuiltBundle:
    """A bundle in memory: every file with its bytes, the manifest among them."""

    bundle_id: str
    manifest: Mapping[str, Any]
    files: Mapping[str, bytes]

    @property
    def entries(self) -> list[FileEntry]:
        """All files by path, the manifest included."""
        return [FileEntry.of(path, data) for path, data in sorted(self.files.items())]


def build_bundle(
    specs: Sequence[SpecValue],
    *,
    header: BundleHeader,
    config: BundleConfig,
    templates: Mapping[str, str] | None = None,
    splits: Mapping[str, str] | None = None,
    codes: Mapping[str, str] | None = None,
    extra: Mapping[str, bytes] | None = None,
    copies: Mapping[str, bytes] | None = None,
) -> BuiltBundle:
    """A bundle of the specs, in the order of their prompt ids.

    ``templates`` are judge templates by name, ``splits`` the split of a prompt where it is not
    train, ``codes`` the code of generated checkers by hash, ``extra`` more content files by path,
    ``copies`` files that repeat content in another form. Equal arguments give equal bytes.
    Raises :class:`BundleError` with a sentence for specs that cannot be frozen together.
    """
    ordered = sorted(specs, key=lambda spec: spec.prompt_id)
    check_specs(ordered, config.aggregator)
    named = (one for spec in ordered for one in codes_in(spec))
    content = {
        **_lines_of(ordered, splits or {}),
        CONFIG: canonical_json(config.to_dict()),
        **{f"{TEMPLATES}/{name}.txt": text.encode() for name, text in (templates or {}).items()},
        **code_files(named, dict(codes or {}).__getitem__),
        **(extra or {}),
    }
    counts = Counts()
    for spec in ordered:
        counts.add(spec)
    manifest = make_manifest(
        header,
        config,
        files=_entries(content),
        copies=_entries(copies or {}),
        counts=counts.to_dict(),
    )
    files = {**content, **(copies or {}), MANIFEST: canonical_json(manifest)}
    return BuiltBundle(manifest["bundle_id"], manifest, files)


def _lines_of(specs: Sequence[SpecValue], splits: Mapping[str, str]) -> dict[str, bytes]:
    """The two files that have a line for each spec."""
    lines = [spec.line() for spec in specs]
    prompts = [
        prompt_line(
            spec,
            index=index,
            spec_id=sha256_hex(line),
            split=splits.get(spec.prompt_id, "train"),
        )
        for index, (spec, line) in enumerate(zip(specs, lines, strict=True))
    ]
    return {SPECS: _lines(lines), PROMPTS: _lines(prompts)}


def check_specs(specs: Sequence[SpecValue], aggregator: Aggregator) -> None:
    """Refuse what cannot be frozen; raises :class:`BundleError` naming the prompt."""
    if not specs:
        raise BundleError("a bundle needs at least one spec")
    for prompt_id, count in Counter(spec.prompt_id for spec in specs).items():
        if count > 1:
            raise BundleError(f"the prompt {prompt_id!r:.60} has {count} specs; freeze one of them")
    for spec in specs:
        check_spec(spec, aggregator)


def check_spec(spec: SpecValue, aggregator: Aggregator) -> None:
    """Refuse a spec that cannot be frozen; raises :class:`BundleError` naming the prompt."""
    problem = _problem(spec, aggregator)
    if problem:
        raise BundleError(f"the spec of the prompt {spec.prompt_id!r:.60}: {problem}")


def _problem(spec: SpecValue, aggregator: Aggregator) -> str:
    if not spec.scores:
        return "it has neither criteria nor constraints"
    try:
        for constraint in spec.constraints:
            if refusal(constraint) is None:
                normalised(constraint)
    except CoreError as error:
        return str(error)
    return "; ".join(aggregator.problems(spec))


def prompt_line(spec: SpecValue, *, index: int, spec_id: str, split: str) -> bytes:
    """The line of prompts.jsonl for a spec, without the line break that ends it."""
    row = prompt_row(
        spec.prompt, index=index, prompt_id=spec.prompt_id, spec_id=spec_id, split=split
    )
    return canonical_json(row)


def _lines(lines: Sequence[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _entries(files: Mapping[str, bytes]) -> list[FileEntry]:
    return [FileEntry.of(path, data) for path, data in sorted(files.items())]


def make_manifest(
    header: BundleHeader,
    config: BundleConfig,
    *,
    files: Sequence[FileEntry],
    counts: Mapping[str, Json],
    copies: Sequence[FileEntry] = (),
) -> dict[str, Any]:
    """The manifest over content files, and copies of them, that are listed by path."""
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "bundle_id": bundle_id(files),
        "name": header.name,
        "version": header.version,
        "parent": header.parent,
        "created": header.created,
        "licence": header.licence,
        "sources": list(header.sources),
        "waivers": list(header.waivers),
        "release": header.release,
        "files": [entry.to_dict() for entry in files],
        "copies": [entry.to_dict() for entry in copies],
        "counts": dict(counts),
        "trainer": dict(header.trainer),
        "agreement": header.agreement,
        **config.to_dict(),
    }
    return {**manifest, "manifest_sha256": canonical_hash(manifest)}


@dataclass(slots=True)
class Counts:
    """How much a bundle holds, counted spec by spec."""

    specs: int = 0
    criteria: int = 0
    constraints: int = 0
    refused_constraints: int = 0

    def add(self, spec: SpecValue) -> None:
        """Count one spec more."""
        self.specs += 1
        self.criteria += len(spec.criteria)
        self.constraints += len(spec.constraints)
        data = [one for one in spec.constraints if one.type != GENERATED]
        self.refused_constraints += sum(refusal(one) is not None for one in data)

    def to_dict(self) -> dict[str, Json]:
        """As the manifest holds it; there is one spec a prompt."""
        return {**asdict(self), "prompts": self.specs}


def write_bundle(bundle: BuiltBundle, folder: Path) -> None:
    """Write every file into a folder that is empty or not there yet.

    Raises :class:`BundleError` for any other folder.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BundleError(f"{folder} is there already and is no empty folder; name another one")
    for path, data in bundle.files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
