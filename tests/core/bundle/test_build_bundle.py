import dataclasses
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.bundle import (
    Bundle,
    BundleConfig,
    BundleHeader,
    build_bundle,
    building,
    bundle_id,
    chat_messages,
    write_bundle,
)
from rubricstudio.core.bundle.layout import FileEntry
from rubricstudio.core.errors import BundleError
from rubricstudio.core.rewards import AlphaSchedule, Hybrid, HybridSettings
from rubricstudio.core.types import Constraint, Criterion, Message, Role, Scale, SpecValue

HEADER = BundleHeader("Tides", 1, "2026-11-30T12:00:00+00:00", licence="CC-BY-4.0")
TIDES = SpecValue(
    "p2",
    (Message(Role.SYSTEM, "Be “brief”."), Message(Role.USER, "Explain the tides.\u2028Please.")),
    (Criterion("cause", "Names the Moon.", 3), Criterion("tone", "Fits a child.", 1)),
    (Constraint("word_count", {"op": "le", "value": 100}), Constraint("json", evidence="as JSON")),
    label="qa_explanation",
)
GREETING = SpecValue(
    "p1", (Message(Role.USER, "Say hi."),), (), (Constraint("begin_with", {"text": "Hi"}),)
)
SPECS = [TIDES, GREETING]


def build(specs=SPECS, *, header=HEADER, config=None, **more):
    return build_bundle(specs, header=header, config=config or BundleConfig(), **more)


def lines(built, path):
    return [json.loads(line) for line in built.files[path].decode().split("\n")[:-1]]


def canonical(value):
    """The canonical form by another hand than the product's."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode()


def test_equal_arguments_give_equal_bytes_in_any_order_of_specs():
    assert build().files == build(SPECS[::-1]).files


def test_the_bundle_id_is_the_hash_of_the_sorted_list_of_paths_and_hashes():
    built = build(templates={"judge": "Is it so?\n"})

    listed = sorted(
        [path, hashlib.sha256(data).hexdigest()]
        for path, data in built.files.items()
        if path != "manifest.json"
    )
    assert built.bundle_id == hashlib.sha256(canonical(listed)).hexdigest()
    assert [path for path, _ in listed] == [
        "config.json",
        "prompts.jsonl",
        "specs.jsonl",
        "templates/judge.txt",
    ]


def test_the_manifest_is_canonical_and_holds_its_own_hash():
    data = build().files["manifest.json"]

    manifest = json.loads(data)
    assert canonical(manifest) == data
    claimed = manifest.pop("manifest_sha256")
    assert claimed == hashlib.sha256(canonical(manifest)).hexdigest()


def test_the_id_of_a_spec_is_the_hash_of_its_line():
    built = build()

    hashes = [hashlib.sha256(line).hexdigest() for line in built.files["specs.jsonl"].splitlines()]
    assert [row["spec_id"] for row in lines(built, "prompts.jsonl")] == hashes


def test_a_line_separator_inside_a_text_breaks_no_line():
    assert [line["prompt_id"] for line in lines(build(), "specs.jsonl")] == ["p1", "p2"]


def test_every_row_has_the_same_keys_and_the_columns_of_every_trainer():
    first, second = lines(build(splits={"p2": "validation"}), "prompts.jsonl")

    assert set(first) == set(second)
    chat = [
        {"role": "system", "content": "Be “brief”."},
        {"role": "user", "content": "Explain the tides.\u2028Please."},
    ]
    spec_id = TIDES.spec_id()
    about = {"index": 1, "split": "validation", "prompt_id": "p2", "spec_id": spec_id}
    assert second == {
        "prompt": chat,
        "messages": chat,
        "prompt_id": "p2",
        "spec_id": spec_id,
        "data_source": "rubricstudio",
        "reward_model": {"style": "rubric", "ground_truth": spec_id},
        "extra_info": about,
        "env_class": "rubricstudio",
        "reward_spec": {"method": "rubric", "ground_truth": spec_id},
        "label": f'{{"prompt_id":"p2","spec_id":"{spec_id}"}}',
        "metadata": about,
        "ground_truth": spec_id,
        "dataset": "rubricstudio",
        "responses_create_params": {"input": chat},
    }


def test_no_row_holds_the_rubric():
    assert b"Names the Moon" not in build().files["prompts.jsonl"]


def test_tools_become_chat_messages_and_reasoning_is_left_out():
    messages = [
        Message(Role.REASONING, "Hm."),
        Message(Role.TOOL_CALL, "{}", name="weather"),
        Message(Role.TOOL_RESULT, "rain"),
    ]

    assert chat_messages(messages) == [
        {"role": "assistant", "content": "{}"},
        {"role": "tool", "content": "rain"},
    ]


def test_known_constraints_are_data_inside_the_spec_line():
    built = build()

    assert lines(built, "specs.jsonl")[0]["constraints"] == [
        {
            "type": "begin_with",
            "params": {"text": "Hi"},
            "options": {},
            "evidence": "",
            "dialect": "studio/1",
        }
    ]


def test_the_manifest_counts_what_is_inside():
    assert build().manifest["counts"] == {
        "specs": 2,
        "prompts": 2,
        "criteria": 2,
        "constraints": 3,
        "refused_constraints": 1,
    }


def test_another_way_to_score_makes_another_bundle():
    linear = Hybrid(HybridSettings(alpha=AlphaSchedule.linear()))

    assert build(config=BundleConfig(linear)).bundle_id != build().bundle_id


def test_another_name_or_date_makes_the_same_bundle():
    other = dataclasses.replace(HEADER, name="Moon", created="2027-01-01T00:00:00+00:00")

    assert build(header=other).bundle_id == build().bundle_id


def test_a_copy_in_another_form_is_listed_but_makes_the_same_bundle():
    built = build(copies={"prompts.parquet": b"PAR1"})

    assert built.bundle_id == build().bundle_id
    assert [copy["path"] for copy in built.manifest["copies"]] == ["prompts.parquet"]


def test_further_content_makes_another_bundle():
    built = build(extra={"checkers/a.py": b"x = 1\n", "conformance.jsonl": b"{}\n{}\n"})

    assert built.bundle_id != build().bundle_id
    entries = {entry.path: entry for entry in built.entries}
    assert (entries["conformance.jsonl"].rows, entries["checkers/a.py"].rows) == (2, None)


@pytest.mark.parametrize(
    ("specs", "sentence"),
    [
        ([], "at least one spec"),
        ([TIDES, dataclasses.replace(TIDES, version=2)], "the prompt 'p2' has 2 specs"),
        (
            [dataclasses.replace(GREETING, constraints=())],
            "the spec of the prompt 'p1': it has neither criteria nor constraints",
        ),
        (
            [dataclasses.replace(GREETING, constraints=(Constraint("word_count"),))],
            "'p1': word_count needs op",
        ),
        (
            [dataclasses.replace(GREETING, criteria=(Criterion("a", "b", scale=Scale.PAIRWISE),))],
            "'p1': the criterion 'a' compares two rollouts",
        ),
    ],
)
def test_specs_that_cannot_score_are_not_frozen(specs, sentence):
    with pytest.raises(BundleError, match=sentence):
        build(specs)


@pytest.mark.parametrize(
    "path", ["../out.txt", "/etc/passwd", "a//b", "a\\b", ".hidden", "a/./b", "ü.txt", "x" * 201]
)
def test_a_file_cannot_leave_the_bundle(path):
    with pytest.raises(BundleError, match="names have letters"):
        build(extra={path: b""})


def test_a_bundle_is_written_and_read_back(tmp_path):
    built = build(templates={"judge": "Is it “so”?\n"})
    write_bundle(built, tmp_path / "out")

    bundle = Bundle.load(tmp_path / "out")

    assert bundle.bundle_id == built.bundle_id
    assert bundle.spec(prompt_id="p2") == TIDES
    assert bundle.spec(spec_id=GREETING.spec_id()) == GREETING
    assert bundle.aggregator == Hybrid()
    assert bundle.templates == {"judge": "Is it “so”?\n"}
    assert [row["prompt_id"] for row in bundle.prompts()] == ["p1", "p2"]


@pytest.mark.parametrize("wanted", [{"spec_id": "0" * 64}, {"prompt_id": "p9"}])
def test_an_unknown_spec_is_told_with_the_bundle(tmp_path, wanted):
    write_bundle(build(), tmp_path)
    bundle = Bundle.load(tmp_path, verify=False)

    with pytest.raises(BundleError, match=f"the bundle {bundle.bundle_id} has no"):
        bundle.spec(**wanted)


def test_a_bundle_is_not_written_over_anything(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")

    with pytest.raises(BundleError, match="is no empty folder"):
        write_bundle(build(), tmp_path)


def test_a_bundle_is_not_written_over_a_file(tmp_path):
    (tmp_path / "out").write_text("mine")

    with pytest.raises(BundleError, match="is no empty folder"):
        write_bundle(build(), tmp_path / "out")


@given(st.dictionaries(st.from_regex(r"[a-z]{1,8}(/[a-z]{1,8})?", fullmatch=True), st.binary()))
def test_the_bundle_id_depends_on_paths_and_contents_alone(files):
    entries = [FileEntry.of(path, data) for path, data in files.items()]

    assert bundle_id(entries) == bundle_id(reversed(entries))


GOLDEN = "5c3fed95b938e72e"


def test_the_format_does_not_change_by_accident(monkeypatch):
    # A new revision of the checkers changes the id and is no new format.
    monkeypatch.setattr(building, "REGISTRY_VERSION", "studio/1.1")

    # Whoever changes this line changes every bundle id there is: raise the format's number.
    assert build().bundle_id.startswith(GOLDEN)
