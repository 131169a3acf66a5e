"""``rubricstudio fuse``: one line of rewards for each row of scores, in order."""

import io
import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

from rubricstudio.scoring.cli import main
from tests.scoring.test_cli import GUARDED

ROW = {"aggregator": "weighted_sum", "scores": [[1, 0], [0, 1]], "weights": [3, 1]}


@pytest.fixture
def fuse(tmp_path, capsys):
    def run(*rows):
        path = tmp_path / "rows.jsonl"
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        path.write_text("".join(f"{line}\n" for line in lines))
        code = main(["fuse", str(path)])
        out, err = capsys.readouterr()
        found = [json.loads(line) for line in out.splitlines()]
        return SimpleNamespace(code=code, results=found, err=err)

    return run


def test_every_row_gives_one_line_with_all_keys(fuse):
    done = fuse(ROW, ROW | {"aggregator": "ordinal"})
    assert done.code == 0
    first, second = done.results
    assert first == {
        "rewards": [0.75, 0.25],
        "utilities": None,
        "components": {},
        "advantages": [0.25, -0.25],
        "flags": {"coverage": 1.0, "zero_signal": False, "dropped": []},
    }
    assert second["rewards"] == pytest.approx([0.168708, -0.168708], abs=2e-6)
    assert second["utilities"][0] == pytest.approx([0.337416, -0.337416], abs=2e-6)


def test_a_line_that_cannot_be_fused_keeps_its_place(fuse):
    done = fuse(ROW, "{broken", "", ROW | {"weights": [-1, 1]}, '{"scores": [[NaN]]}', ROW)
    assert done.code == 1
    assert [one["rewards"] for one in done.results] == [
        [0.75, 0.25],
        None,
        None,
        None,
        [0.75, 0.25],
    ]
    assert "line 2: it is not JSON" in done.err
    assert "line 4: a weighted sum takes weights of 0 or more" in done.results[2]["error"]
    assert "line 5: the aggregator None is unknown" in done.err


def test_rows_of_one_rule_are_one_batch_and_others_stand_between(fuse):
    row = {"aggregator": "gdpo", "scores": [[1, 0]]}
    done = fuse(row, ROW, {"aggregator": "gdpo", "scores": [[5, 1]]})
    together = [one["advantages"] for one in (done.results[0], done.results[2])]
    alone = [fuse(row).results[0]["advantages"]]
    # Each group has z of .7070 and -.7070 nearly; the spread of four is less than that of two.
    assert together[0][0] > alone[0][0]
    assert done.results[1]["rewards"] == [0.75, 0.25]


def test_scores_come_from_standard_input(monkeypatch, capsys):
    stdin = SimpleNamespace(buffer=io.BytesIO(json.dumps(ROW).encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert main(["fuse", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["rewards"] == [0.75, 0.25]


def test_a_file_that_is_not_there_is_wrong_usage(tmp_path, capsys):
    assert main(["fuse", str(tmp_path / "none.jsonl")]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_it_runs_without_the_server_s_packages(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(ROW))
    done = subprocess.run(
        [sys.executable, "-c", GUARDED, "fuse", str(path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rewards"] == [0.75, 0.25]
