"""``rubricstudio check``: one line out for each row in, in order, whatever the row holds."""

import io
import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

from rubricstudio.scoring.cli import main
from tests.scoring.test_cli import GUARDED
from tests.shared_data import shared_path

NO_COMMA = {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}


def written(rows):
    return "".join(
        f"{row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)}\n" for row in rows
    )


@pytest.fixture
def check(tmp_path, capsys):
    def run(*rows, dialect="ifeval/1", options=()):
        path = tmp_path / "rows.jsonl"
        path.write_bytes(
            rows[0] if len(rows) == 1 and isinstance(rows[0], bytes) else written(rows).encode()
        )
        code = main(["check", "--dialect", dialect, *options, str(path)])
        out, err = capsys.readouterr()
        return SimpleNamespace(
            code=code, results=[json.loads(line) for line in out.splitlines()], err=err
        )

    return run


def test_every_row_gives_one_line_with_one_entry_per_instruction(check):
    words = {"num_words": 2, "relation": "at least", "unused": None}
    done = check(
        {
            "prompt": "p",
            "response": "Hi, there",
            "instruction_id_list": ["punctuation:no_comma", "length_constraints:number_words"],
            "kwargs": [{}, words],
            "key": 7,
        },
        {"prompt": "p", "response": "Hi", **NO_COMMA},
    )

    assert done.code == 0
    assert done.results == [
        {"follow": [False, True], "reasons": ["1 comma, none asked", "2 words, at least 2 asked"]},
        {"follow": [True], "reasons": ["no comma"]},
    ]


def test_constraints_are_read_in_the_dialect_that_the_command_names(check):
    row = {
        "response": "don't",
        "constraints": [{"type": "word_count", "params": {"op": "eq", "value": 1}}],
    }

    assert check(row, dialect="studio/1").results[0]["follow"] == [True]
    assert check(row, dialect="ifeval/1").results[0]["follow"] == [None]


def test_a_constraint_may_name_its_own_dialect_and_options(check):
    loose = {
        "type": "punctuation:no_comma",
        "options": {"loose": True},
        "dialect": "ifeval/1",
    }
    done = check({"response": "Sure, so:\nyes", "constraints": [loose]}, dialect="studio/1")

    assert done.results == [{"follow": [True], "reasons": ["without its first line: no comma"]}]


def test_the_loose_reading_is_asked_for_all_rows(check):
    row = {"response": "Sure, so:\nyes", **NO_COMMA}

    assert check(row).results[0]["follow"] == [False]
    assert check(row, options=["--loose"]).results[0]["follow"] == [True]


def test_instructions_are_checked_in_the_studio_dialect_where_a_type_states_the_same(check):
    row = {
        "response": "It's",
        "instruction_id_list": ["length_constraints:number_words", "detectable_format:title"],
        "kwargs": [{"num_words": 2, "relation": "at least"}, {}],
    }

    done = check(row, dialect="studio/1")
    assert (done.code, done.results[0]["follow"]) == (0, [False, None])
    assert "detectable_format:title is not" in done.results[0]["reasons"][1]


def test_a_refused_instruction_is_null_with_its_reason_and_no_failure(check):
    done = check(
        {
            "response": "a",
            "instruction_id_list": ["foo:bar", "es:special_character:tildes", "keywords:existence"],
            "kwargs": [{}, {}, {}],
        }
    )

    assert (done.code, done.results[0]["follow"]) == (0, [None, None, None])
    assert [reason.split(":")[0] for reason in done.results[0]["reasons"]] == [
        "foo",
        "es",
        "keywords",
    ]
    assert "needs keywords" in done.results[0]["reasons"][2]


def test_arguments_may_be_missing_for_the_whole_row(check):
    row = {"response": "a", "instruction_id_list": ["punctuation:no_comma"]}

    assert check(row).results[0]["follow"] == [True]


def test_a_response_that_is_null_or_empty_follows_nothing(check):
    done = check({"response": None, **NO_COMMA}, {"response": "", **NO_COMMA})

    assert done.results == [{"follow": [False], "reasons": ["the response is empty"]}] * 2


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("{", "it is not JSON"),
        ("[1]", "it is not an object"),
        ("[" * 100_000, "it is nested too deep"),
        ({"prompt": "p"}, "it has no response"),
        ({"response": 3, **NO_COMMA}, "its response is 3, and no text"),
        ({"response": "a"}, "it has neither of instruction_id_list and constraints"),
        ({"response": "a", **NO_COMMA, "constraints": []}, "it has both of instruction_id_list"),
        ({"response": "a", "instruction_id_list": "x"}, "its instruction_id_list is 'x', and no"),
        ({"response": "a", "instruction_id_list": [1]}, "an instruction id is 1, and no text"),
        (
            {"response": "a", "instruction_id_list": ["a:b"], "kwargs": [{}, {}]},
            "the row has 1 instruction ids and 2 sets of arguments",
        ),
        (
            {"response": "a", "instruction_id_list": ["a:b"], "kwargs": ["x"]},
            "the arguments of 'a:b' are 'x'",
        ),
        ({"response": "a", "constraints": ["x"]}, "a constraint is 'x', and no object"),
        ({"response": "a", "constraints": [{}]}, "a constraint has no type"),
        ({"response": "a", "constraints": [{"type": "a", "x": 1}]}, "a constraint has no 'x'"),
        (
            {"response": "a", "constraints": [{"type": "a", "dialect": "b"}]},
            "known are studio/1 and ifeval/1",
        ),
    ],
)
def test_a_line_that_is_no_row_keeps_its_place_and_says_what_is_wrong(check, row, sentence):
    good = {"response": "a", **NO_COMMA}

    done = check(good, row, good)

    first, bad, last = done.results
    assert (first["follow"], last["follow"]) == ([True], [True])
    assert (bad["follow"], bad["reasons"]) == ([], [])
    assert bad["error"].startswith("line 2: ")
    assert sentence in bad["error"]
    assert sentence in done.err
    assert done.code == 1


def test_bytes_that_are_not_text_are_a_bad_line(check):
    done = check(b'{"response": "\xff"}\n')

    assert done.results[0]["error"] == "line 1: it is not UTF-8 at byte 14"


def test_blank_lines_are_no_rows_and_a_mark_of_byte_order_is_overlooked(check):
    row = json.dumps({"response": "a\u2028b", **NO_COMMA}, ensure_ascii=False)

    done = check(f"\ufeff{row}\n\n{row}".encode())
    assert [one["follow"] for one in done.results] == [[True], [True]]


def test_rows_come_from_standard_input(monkeypatch, capsys):
    rows = written([{"response": "a", **NO_COMMA}]).encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(rows)))

    assert main(["check", "--dialect", "ifeval/1", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["follow"] == [True]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--dialect", "ifeval/1", "/nowhere/rows.jsonl"], "/nowhere/rows.jsonl cannot be read"),
        (["--dialect", "studio/1", "--loose", "-"], "--loose goes with --dialect ifeval/1"),
    ],
)
def test_wrong_usage_is_told_in_a_sentence(capsys, arguments, sentence):
    assert main(["check", *arguments]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["-"], ["--dialect", "mine/1", "-"]])
def test_a_dialect_has_to_be_one_of_two(capsys, arguments):
    with pytest.raises(SystemExit, match="2"):
        main(["check", *arguments])

    assert "--dialect" in capsys.readouterr().err


def test_a_reader_that_has_enough_ends_the_command_without_a_word(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(written([{"response": "a", **NO_COMMA}] * 5000))
    command = [sys.executable, "-c", GUARDED, "check"]

    with subprocess.Popen(
        [*command, "--dialect", "ifeval/1", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = json.loads(process.stdout.readline())
        process.stdout.close()
        assert (first["follow"], process.stderr.read()) == ([True], b"")


@pytest.mark.shared
def test_published_rows_are_checked_without_the_application(tmp_path):
    prompts = shared_path("ifeval/input_data.jsonl").read_text(encoding="utf-8").split("\n")
    responses = shared_path("ifeval/responses_gpt4.jsonl").read_text(encoding="utf-8").split("\n")
    pairs = [(json.loads(a), json.loads(b)) for a, b in zip(prompts, responses, strict=True) if a]
    path = tmp_path / "rows.jsonl"
    path.write_text(written([{**row, **answer} for row, answer in pairs]))

    done = subprocess.run(
        [sys.executable, "-c", GUARDED, "check", "--dialect", "ifeval/1", "--loose", str(path)],
        capture_output=True,
        text=True,
        check=True,
    )

    follow = [json.loads(line)["follow"] for line in done.stdout.splitlines()]
    # FIGURES: 227 of 272 prompts and 382 of 428 instructions, read loosely.
    assert (len(follow), sum(map(all, follow)), sum(map(sum, follow))) == (272, 227, 382)
