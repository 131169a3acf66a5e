"""The bundle: frozen specs and how they are scored, content-addressed, in one folder.

``build_bundle`` makes one out of plain values, ``write_bundle`` puts it into a folder;
``write_content`` and ``write_manifest`` do both for any number of specs, line by line.
``verify_bundle`` proves that a folder is still the one that was frozen, ``Bundle.load`` reads it.
"""

from rubricstudio.core.bundle.building import (
    PAPER_TRAINER,
    BuiltBundle,
    BundleConfig,
    BundleHeader,
    build_bundle,
    check_specs,
    write_bundle,
)
from rubricstudio.core.bundle.layout import FORMAT, MANIFEST, FileEntry, bundle_id
from rubricstudio.core.bundle.manifest import Manifest, read_manifest
from rubricstudio.core.bundle.reading import Bundle
from rubricstudio.core.bundle.rows import chat_messages, prompt_row
from rubricstudio.core.bundle.streaming import (
    BundleContent,
    SpecLine,
    write_content,
    write_manifest,
)
from rubricstudio.core.bundle.verifying import Problem, Verification, verify_bundle

__all__ = [
    "FORMAT",
    "MANIFEST",
    "PAPER_TRAINER",
    "BuiltBundle",
    "Bundle",
    "BundleConfig",
    "BundleContent",
    "BundleHeader",
    "FileEntry",
    "Manifest",
    "Problem",
    "SpecLine",
    "Verification",
    "build_bundle",
    "bundle_id",
    "chat_messages",
    "check_specs",
    "prompt_row",
    "read_manifest",
    "verify_bundle",
    "write_bundle",
    "write_content",
    "write_manifest",
]
