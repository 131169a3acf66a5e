"""A bundle as a folder: whole, byte for byte, or not there at all."""

import pytest

from apps.activity.errors import BadInput
from apps.bundles import selectors, services
from rubricstudio.core.bundle import Bundle as FrozenBundle
from rubricstudio.core.bundle import verify_bundle
from rubricstudio.scoring.cli import main

pytestmark = pytest.mark.django_db


@pytest.fixture
def bundle(ready, freeze):
    return freeze(ready).bundle


def export(bundle, folder):
    services.export_bundle(bundle=bundle, folder=folder)
    return folder


def files_in(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_two_exports_are_equal_to_the_byte(bundle, tmp_path):
    first = files_in(export(bundle, tmp_path / "first"))
    second = files_in(export(bundle, tmp_path / "second"))

    assert first == second
    assert first.keys() == {
        "config.json",
        "manifest.json",
        "prompts.jsonl",
        "specs.jsonl",
        "templates/global.txt",
        "templates/judge.txt",
    }


def test_the_folder_is_verified_without_the_application(bundle, tmp_path, capsys):
    folder = export(bundle, tmp_path / "bundle")

    assert main(["verify", str(folder), "--id", bundle.bundle_id]) == 0


@pytest.mark.parametrize(
    "path", ["specs.jsonl", "config.json", "templates/judge.txt", "manifest.json"]
)
def test_a_folder_that_was_tampered_with_is_found_out(bundle, tmp_path, path, capsys):
    folder = export(bundle, tmp_path / "bundle")
    (folder / path).write_bytes((folder / path).read_bytes() + b" ")

    assert main(["verify", str(folder)]) == 1
    assert path in capsys.readouterr().err


def test_the_scorer_reads_what_was_exported(bundle, tmp_path):
    loaded = FrozenBundle.load(export(bundle, tmp_path / "bundle"))

    spec = loaded.spec(prompt_id="tides")
    assert [criterion.key for criterion in spec.criteria] == ["cause", "plain"]
    assert loaded.aggregator.name == "hybrid"


def test_a_folder_that_is_empty_becomes_the_bundle(bundle, tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()

    assert verify_bundle(export(bundle, folder)).ok


def test_missing_parents_are_made(bundle, tmp_path):
    assert verify_bundle(export(bundle, tmp_path / "a" / "b" / "bundle")).ok


def test_a_folder_that_holds_the_bundle_stays_as_it_is(bundle, tmp_path):
    folder = export(bundle, tmp_path / "bundle")
    before = (folder / "specs.jsonl").stat().st_mtime_ns

    export(bundle, folder)

    assert (folder / "specs.jsonl").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / "notes.txt").write_text("mine"),
        lambda folder: (folder / "specs.jsonl").write_text("{}\n"),
        lambda folder: (folder / "config.json").unlink(),
    ],
)
def test_a_folder_that_holds_anything_else_is_left_alone(bundle, tmp_path, spoil):
    folder = export(bundle, tmp_path / "bundle")
    spoil(folder)
    before = files_in(folder)

    with pytest.raises(BadInput, match="is not empty and does not hold this bundle"):
        export(bundle, folder)

    assert files_in(folder) == before


def test_a_filled_folder_without_a_manifest_is_refused_before_anything_is_frozen(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")

    with pytest.raises(BadInput, match="name another folder"):
        services.check_folder(tmp_path)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("mine")

    with pytest.raises(BadInput, match="is a file"):
        services.check_folder(tmp_path / "file")


def test_a_name_that_no_folder_can_have_is_told_in_a_sentence(tmp_path):
    with pytest.raises(BadInput, match=r"The bundle cannot be written to .*: File name too long"):
        services.check_folder(tmp_path / ("x" * 300))


def test_nothing_half_written_stays_when_the_disk_is_full(bundle, tmp_path, monkeypatch):
    def full(file, **_stretch):
        yield b"a few bytes"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(selectors, "read_bytes", full)

    with pytest.raises(BadInput, match="No space left on device"):
        export(bundle, tmp_path / "bundle")

    assert list(tmp_path.iterdir()) == []
