"""Every kind of change to a bundle is found, and the file is named."""

import json
import shutil

import pytest

from rubricstudio.core.bundle import Bundle, BundleConfig, verify_bundle, write_bundle
from rubricstudio.core.bundle.layout import FileEntry, bundle_id
from rubricstudio.core.canonical import canonical_hash, canonical_json
from rubricstudio.core.errors import BundleError, TamperedBundle
from tests.core.bundle.test_build_bundle import build


@pytest.fixture
def folder(tmp_path):
    built = build(
        templates={"judge": "Is it so?\n"},
        extra={"checkers/a.py": b"x = 1\n"},
        copies={"prompts.parquet": b"PAR1"},
    )
    write_bundle(built, tmp_path / "bundle")
    return tmp_path / "bundle"


def found(folder, **more):
    return [(path, sentence) for path, sentence in verify_bundle(folder, **more).problems]


def sign(folder, **changes):
    """Change the manifest as somebody would who makes it agree with itself again."""
    values = json.loads((folder / "manifest.json").read_bytes())
    values.pop("manifest_sha256")
    values.update(changes)
    values["manifest_sha256"] = canonical_hash(values)
    (folder / "manifest.json").write_bytes(canonical_json(values))


def refreeze(folder, **contents):
    """Replace contents, and list them with right hashes and a right bundle id."""
    values = json.loads((folder / "manifest.json").read_bytes())
    listed = {one["path"]: one for one in values["files"]}
    for path, data in contents.items():
        (folder / path).write_bytes(data)
        listed[path] = FileEntry.of(path, data).to_dict()
    entries = [FileEntry.from_dict(one) for one in listed.values()]
    sign(folder, files=list(listed.values()), bundle_id=bundle_id(entries))


def test_a_bundle_that_was_only_written_is_whole(folder):
    found_ = verify_bundle(folder, expected_id=build_id(folder))

    assert (found_.ok, found_.files, found_.specs) == (True, 7, 2)


def build_id(folder):
    return json.loads((folder / "manifest.json").read_bytes())["bundle_id"]


def test_a_bundle_whose_judge_names_no_rules_is_whole_as_ever(tmp_path):
    config = BundleConfig(judge={"judge": {"model": "judge"}, "messages": "messages/1"})
    write_bundle(build(config=config), tmp_path / "bundle")

    assert found(tmp_path / "bundle") == []


def test_a_copied_bundle_is_whole(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy")

    assert verify_bundle(tmp_path / "copy").ok


ALL = [
    "config.json",
    "prompts.jsonl",
    "specs.jsonl",
    "templates/judge.txt",
    "checkers/a.py",
    "prompts.parquet",
]


@pytest.mark.parametrize("path", ALL)
def test_a_changed_byte_is_found_in_every_file(folder, path):
    data = bytearray((folder / path).read_bytes())
    data[-1] ^= 1
    (folder / path).write_bytes(data)

    assert found(folder) == [
        (path, "it was changed: its hash is not the one that was frozen"),
    ]


@pytest.mark.parametrize("path", ALL)
def test_an_appended_byte_is_found_in_every_file(folder, path):
    with (folder / path).open("ab") as file:
        file.write(b"\n")

    ((named, sentence),) = found(folder)
    assert named == path
    assert sentence.endswith("were frozen")


@pytest.mark.parametrize("path", ALL)
def test_a_missing_file_is_found(folder, path):
    (folder / path).unlink()

    assert found(folder) == [(path, "it is missing")]


@pytest.mark.parametrize("path", ["notes.txt", "checkers/b.py", ".hidden", "deep/er/x"])
def test_a_file_that_is_not_listed_is_found(folder, path):
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text("mine")

    assert found(folder) == [(path, "it is not listed in the manifest")]


def test_a_link_is_no_file_of_a_bundle(folder, tmp_path):
    (folder / "specs.jsonl").rename(tmp_path / "specs.jsonl")
    (folder / "specs.jsonl").symlink_to(tmp_path / "specs.jsonl")

    assert found(folder) == [("specs.jsonl", "it is not a plain file")]


def test_a_linked_folder_is_found(folder, tmp_path):
    (folder / "more").symlink_to(tmp_path)

    assert found(folder) == [("more", "it is not listed in the manifest")]


def test_a_folder_in_place_of_a_file_is_found(folder):
    (folder / "checkers/a.py").unlink()
    (folder / "checkers/a.py").mkdir()

    assert found(folder) == [("checkers/a.py", "it is not a plain file")]


def test_several_changes_are_all_named(folder):
    (folder / "specs.jsonl").unlink()
    (folder / "notes.txt").write_text("mine")

    assert [path for path, _ in found(folder)] == ["specs.jsonl", "notes.txt"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda data: data + b"\n", "not in canonical form"),
        (lambda data: data.replace(b'":', b'": ', 1), "not in canonical form"),
        (lambda data: data.replace(b"{", b'{"name":"x",', 1), "not in canonical form"),
        (lambda data: data.replace(b'"Tides"', b'"Moons"'), "does not hold its own hash"),
        (lambda data: data[:-1], "it is not JSON in UTF-8"),
        (lambda data: data.replace(b"Tides", b"Tid\xff\xff"), "it is not JSON in UTF-8"),
        (lambda data: data.replace(b'"version":1', b'"version":NaN'), "it is not JSON"),
        (lambda _: b"[" * 100_000, "it is not JSON in UTF-8"),
        (lambda _: b"[]", "not in canonical form"),
        (lambda data: data.replace(b"reward-spec/1", b"reward-spec/2"), "this release reads"),
    ],
)
def test_a_manifest_changed_by_hand_is_found(folder, change, sentence):
    path = folder / "manifest.json"
    path.write_bytes(change(path.read_bytes()))

    ((named, told),) = found(folder)
    assert named == "manifest.json"
    assert sentence in told


def test_a_folder_without_a_manifest_is_no_bundle(folder):
    (folder / "manifest.json").unlink()

    assert found(folder) == [
        ("manifest.json", "there is no manifest.json, so this is no bundle"),
    ]


ENTRY = {"path": "x", "sha256": "0" * 64, "bytes": 1, "rows": None}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"bundle_id": "0" * 64}, "its bundle_id is not the one of the files it lists"),
        ({"files": None}, "it has no list of files"),
        ({"copies": {}}, "it has no list of copies"),
        ({"copies": [{"path": "x"}]}, "it needs path, sha256, bytes and rows"),
        ({"copies": [{**ENTRY, "sha256": "x"}]}, "the listed file 'x' has no hash"),
        ({"copies": [{**ENTRY, "bytes": "1"}]}, "the listed file 'x' has no hash"),
        ({"copies": [{**ENTRY, "rows": "1"}]}, "or a size that is no number"),
        ({"copies": [{**ENTRY, "path": "../x"}]}, "a file of a bundle is named '../x'"),
        ({"copies": [{**ENTRY, "path": 1}]}, "a file of a bundle is named 1"),
        ({"copies": [ENTRY, ENTRY]}, "it lists x 2 times"),
        ({"copies": [{**ENTRY, "path": "manifest.json"}]}, "or lists itself"),
    ],
)
def test_a_manifest_that_contradicts_itself_is_found(folder, changes, sentence):
    sign(folder, **changes)

    ((named, told),) = found(folder)
    assert named == "manifest.json"
    assert sentence in told


def test_another_bundle_than_the_expected_one_is_found(folder):
    assert found(folder, expected_id="0" * 64) == [
        ("manifest.json", f"this is the bundle {build_id(folder)}, not {'0' * 64}"),
    ]


def test_a_wrong_number_of_lines_is_found(folder):
    values = json.loads((folder / "manifest.json").read_bytes())
    listed = [
        {**one, "rows": 3} if one["path"] == "specs.jsonl" else one for one in values["files"]
    ]
    sign(folder, files=listed)

    assert found(folder) == [("specs.jsonl", "it has 2 lines, and 3 are listed")]


def test_a_bundle_made_over_completely_agrees_with_itself_but_has_another_id(folder):
    before = build_id(folder)
    refreeze(folder, **{"checkers/a.py": b"x = 2\n"})

    assert found(folder) == []
    assert [path for path, _ in found(folder, expected_id=before)] == ["manifest.json"]


@pytest.mark.parametrize(
    ("path", "data", "sentence"),
    [
        ("specs.jsonl", b'{"a": 1}\n', "line 1 is not in canonical form"),
        ("specs.jsonl", b'{"a":1}', "line 1 is not in canonical form"),
        ("specs.jsonl", b'{"a":1}\n', "a spec has no 'a'"),
        ("specs.jsonl", b"[1]\n", "it cannot be read"),
        ("specs.jsonl", b"\xff\n", "it cannot be read"),
        ("prompts.jsonl", b'{"spec_id":"x"}\n', "line 1 refers to a spec that is not in"),
        ("prompts.jsonl", b'{"prompt_id":"x"}\n', "it cannot be read"),
        ("config.json", b'{"judge":{"model":"x"}}', "its judge is not the one of the manifest"),
        ("config.json", b"[]", "it cannot be read"),
    ],
)
def test_contents_that_contradict_each_other_are_found_though_every_hash_is_right(
    folder, path, data, sentence
):
    refreeze(folder, **{path: data})

    told = dict(found(folder))
    assert sentence in told[path]


def test_rows_with_different_keys_are_found(folder):
    first, second = (folder / "prompts.jsonl").read_bytes().splitlines()
    row = json.loads(second)
    row["extra"] = 1
    refreeze(folder, **{"prompts.jsonl": first + b"\n" + canonical_json(row) + b"\n"})

    assert found(folder) == [
        ("prompts.jsonl", "it cannot be read: line 2 has other keys than the first"),
    ]


def test_a_bundle_without_specs_is_found(folder):
    values = json.loads((folder / "manifest.json").read_bytes())
    listed = [one for one in values["files"] if one["path"] != "specs.jsonl"]
    (folder / "specs.jsonl").unlink()
    sign(folder, files=listed, bundle_id=bundle_id(map(FileEntry.from_dict, listed)))

    verified = verify_bundle(folder)

    assert verified.specs == 0
    assert verified.problems == (("specs.jsonl", "a bundle needs it, and it is not listed"),)


def test_loading_a_changed_bundle_names_the_file(folder):
    (folder / "specs.jsonl").write_bytes(b"")

    with pytest.raises(TamperedBundle, match=r"specs\.jsonl: it has 0 bytes") as error:
        Bundle.load(folder)

    assert error.value.path == "specs.jsonl"


def test_where_there_is_no_folder_there_is_nothing_to_verify(tmp_path):
    with pytest.raises(BundleError, match="there is no folder"):
        verify_bundle(tmp_path / "nowhere")
