"""What is wrong with a file as a whole is said in a sentence, before anything is read."""

import gzip
import os

import pytest

from apps.activity.errors import BadInput
from apps.prompts.reading import open_source, recognise


def refusal(path, limit=1024):
    with pytest.raises(BadInput) as refused:
        recognise(open_source(path, limit=limit))
    return str(refused.value)


def test_an_empty_file_is_refused(save):
    assert refusal(save(b"")) == "file.jsonl is empty: there is nothing to import."


def test_a_file_of_white_space_is_refused(save):
    assert "nothing but white space" in refusal(save(b" \n\t\n"))


def test_a_missing_file_is_refused_by_its_path(tmp_path):
    assert "There is no file" in refusal(tmp_path / "missing.jsonl")


def test_a_path_that_no_system_can_have_is_refused(tmp_path):
    assert "There is no file" in refusal(tmp_path / "\x00")


def test_a_folder_is_refused(tmp_path):
    assert "is a folder" in refusal(tmp_path)


def test_a_pipe_is_refused(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)

    assert "no ordinary file" in refusal(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator can read every file")
def test_a_file_without_the_right_to_read_is_refused(save):
    path = save(b"{}")
    path.chmod(0)

    assert "cannot be read: Permission denied" in refusal(path)


def test_a_file_over_the_limit_is_refused_by_the_limit(save):
    assert "larger than 1024 bytes" in refusal(save(b"x" * 1025))


def test_the_limit_holds_for_what_a_packed_file_unpacks_to(save):
    assert "larger than 1024 bytes" in refusal(save(gzip.compress(b"x" * 1025)))


def test_a_packed_file_is_read_unpacked(read):
    rows = read(gzip.compress(b'{"prompt": "Why?"}\n'), "file.jsonl.gz")

    assert rows[0].values == {"prompt": "Why?"}


def test_a_packed_file_that_is_cut_short_is_refused(save):
    packed = gzip.compress(os.urandom(900))

    assert "cannot be unpacked" in refusal(save(packed[:-20]))


def test_a_packed_file_whose_middle_is_damaged_is_refused(save):
    packed = bytearray(gzip.compress(b"Why does the sea have tides? " * 1000))
    packed[20:60] = b"\xff" * 40

    assert "cannot be unpacked" in refusal(save(bytes(packed)))


@pytest.mark.parametrize(
    ("start", "kind"), [(b"PAR1", "Parquet"), (b"PK\x03\x04", "Excel"), (b"%PDF-1.7", "PDF")]
)
def test_a_file_that_is_no_text_is_refused_by_its_kind(save, start, kind):
    assert f"{kind} file: export it as JSONL or CSV" in refusal(save(start + b"....."))
