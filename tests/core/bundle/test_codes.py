"""Generated checkers in a bundle: a content file each, named by the hash that the spec holds."""

import pytest

from rubricstudio.core.bundle import (
    Bundle,
    BundleConfig,
    SpecLine,
    build_bundle,
    verify_bundle,
    write_bundle,
    write_content,
    write_manifest,
)
from rubricstudio.core.bundle.building import Counts, make_manifest
from rubricstudio.core.bundle.layout import CONFIG
from rubricstudio.core.canonical import canonical_json
from rubricstudio.core.checkers.generated import code_sha256, wanted_constraint, with_code
from rubricstudio.core.errors import BundleError, TamperedBundle
from rubricstudio.core.types import Constraint, Message, Role, SpecValue
from tests.core.bundle.test_build_bundle import HEADER, TIDES

CODE = "def check_following(instruction, response):\n    return '?' in response  # 问\n"
SHA = code_sha256(CODE)
PATH = f"checkers/{SHA}.py"
CONFIGURED = BundleConfig(interpreter="cpython-3.11")


def spec(*codes: str) -> SpecValue:
    constraints = [with_code(wanted_constraint("asks something"), code) for code in codes]
    return SpecValue(
        prompt_id="asks",
        prompt=(Message(Role.USER, "Ask me."),),
        constraints=(Constraint("contain", {"phrases": ["why"]}), *constraints),
    )


def built(*specs, codes=None, config=CONFIGURED):
    return build_bundle(specs, header=HEADER, config=config, codes=codes or {SHA: CODE})


def test_the_code_is_content_under_its_hash(tmp_path):
    bundle = built(spec(CODE), TIDES)
    write_bundle(bundle, tmp_path / "bundle")

    assert bundle.files[PATH] == CODE.encode()
    assert verify_bundle(tmp_path / "bundle").ok
    loaded = Bundle.load(tmp_path / "bundle")
    assert loaded.code(SHA) == CODE
    assert loaded.interpreter == "cpython-3.11"
    assert built(spec(CODE)).manifest["counts"]["refused_constraints"] == 0


def test_other_code_is_another_bundle():
    other = CODE.replace("?", "!")

    assert (
        built(spec(CODE)).bundle_id
        != built(spec(other), codes={code_sha256(other): other}).bundle_id
    )


def test_writing_line_by_line_gives_the_same_bytes(tmp_path):
    one = spec(CODE)
    content = write_content(
        [SpecLine(one.spec_id(), one.line())],
        tmp_path,
        config=CONFIGURED,
        code={SHA: CODE}.__getitem__,
    )
    write_manifest(content, tmp_path, header=HEADER, config=CONFIGURED)

    assert content.bundle_id == built(one).bundle_id
    assert (tmp_path / PATH).read_bytes() == CODE.encode()


def test_code_that_is_not_there_cannot_be_frozen():
    with pytest.raises(BundleError, match="of a checker is missing"):
        build_bundle([spec(CODE)], header=HEADER, config=CONFIGURED)


def test_code_under_the_hash_of_another_cannot_be_frozen():
    with pytest.raises(BundleError, match="not the one that its hash names"):
        built(spec(CODE), codes={SHA: CODE + "\n"})


def test_a_requirement_without_code_cannot_be_frozen():
    waiting = SpecValue(
        prompt_id="asks",
        prompt=(Message(Role.USER, "Ask me."),),
        constraints=(wanted_constraint("asks something"),),
    )

    with pytest.raises(BundleError, match="a requirement without code: 'asks something'"):
        built(waiting)


def test_changed_code_is_found(tmp_path):
    write_bundle(built(spec(CODE)), tmp_path / "bundle")
    (tmp_path / "bundle" / PATH).write_text("def check_following(i, r):\n    return True\n")

    with pytest.raises(TamperedBundle, match="checkers/"):
        Bundle.load(tmp_path / "bundle")


def test_a_bundle_that_was_made_without_its_code_is_not_whole(tmp_path):
    bundle = built(spec(CODE))
    files = {path: data for path, data in bundle.files.items() if path != PATH}
    entries = [entry for entry in bundle.entries if entry.path in files]
    content = [entry for entry in entries if entry.path != "manifest.json"]

    manifest = make_manifest(HEADER, CONFIGURED, files=content, counts=Counts().to_dict())
    for path, data in {**files, "manifest.json": canonical_json(manifest)}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)

    problems = verify_bundle(tmp_path).problems

    assert any("needs the checker checkers/" in one.sentence for one in problems)


def test_a_bundle_of_data_alone_names_no_interpreter():
    assert b"interpreter" not in built(TIDES, config=BundleConfig()).files[CONFIG]


def test_a_code_that_the_bundle_does_not_hold_is_refused(tmp_path):
    write_bundle(built(spec(CODE)), tmp_path / "bundle")

    with pytest.raises(BundleError, match="has no checker"):
        Bundle.load(tmp_path / "bundle").code("a" * 64)
