import pytest

from rubricstudio.core.bundle import (
    BundleConfig,
    SpecLine,
    build_bundle,
    verify_bundle,
    write_content,
    write_manifest,
)
from rubricstudio.core.errors import BundleError
from rubricstudio.core.rewards import Hybrid, HybridSettings
from rubricstudio.core.types import Message, Role, SpecValue
from tests.core.bundle.test_build_bundle import GREETING, HEADER, TIDES

TEMPLATES = {"judge": "Is it so?\n", "global": "How good is it?\n"}


def spec_line(spec, split="train"):
    return SpecLine(spec.spec_id(), spec.line(), split)


def write(folder, *specs, config=None, templates=None):
    config = config or BundleConfig()
    content = write_content(
        [spec_line(spec) for spec in specs], folder, config=config, templates=templates
    )
    write_manifest(content, folder, header=HEADER, config=config)
    return content


def files_in(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_it_writes_the_bytes_that_are_built_in_memory(tmp_path):
    built = build_bundle(
        [TIDES, GREETING], header=HEADER, config=BundleConfig(), templates=TEMPLATES
    )

    content = write(tmp_path, GREETING, TIDES, templates=TEMPLATES)

    assert files_in(tmp_path) == built.files
    assert content.bundle_id == built.bundle_id


def test_what_it_writes_is_a_whole_bundle(tmp_path):
    write(tmp_path, GREETING, TIDES)

    assert verify_bundle(tmp_path).ok


def test_the_split_of_a_prompt_is_in_its_row(tmp_path):
    write_content([spec_line(TIDES, "test")], tmp_path, config=BundleConfig())

    assert b'"split":"test"' in (tmp_path / "prompts.jsonl").read_bytes()


@pytest.mark.parametrize("specs", [(TIDES, GREETING), (TIDES, TIDES)])
def test_prompts_out_of_order_or_twice_are_refused(tmp_path, specs):
    with pytest.raises(BundleError, match="in the order of the prompt ids"):
        write(tmp_path, *specs)


def test_a_line_that_its_id_does_not_name_is_refused(tmp_path):
    changed = spec_line(TIDES)._replace(line=spec_line(GREETING).line)

    with pytest.raises(BundleError, match="is not the one that its id names"):
        write_content([changed], tmp_path, config=BundleConfig())


def test_no_specs_are_no_bundle(tmp_path):
    with pytest.raises(BundleError, match="at least one spec"):
        write(tmp_path)


def test_a_spec_that_cannot_score_is_refused_by_name(tmp_path):
    empty = SpecValue("p9", (Message(Role.USER, "Say hi."),))

    with pytest.raises(BundleError, match="the spec of the prompt 'p9': it has neither"):
        write(tmp_path, empty)


def test_a_spec_without_anything_of_the_components_is_refused(tmp_path):
    config = BundleConfig(aggregator=Hybrid(HybridSettings.from_dict({"components": "R"})))

    with pytest.raises(BundleError, match="has nothing of the components R"):
        write(tmp_path, GREETING, config=config)
