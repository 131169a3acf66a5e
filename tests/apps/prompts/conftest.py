"""Files to import, made on the spot."""

import json

import pytest

from apps.prompts.reading import open_source, recognise


def as_jsonl(*rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


@pytest.fixture
def save(tmp_path):
    """Writes bytes, a text or rows to a file and gives its path."""

    def save_file(content, name="file.jsonl"):
        if isinstance(content, list):
            content = as_jsonl(*content)
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return save_file


@pytest.fixture
def read(save):
    """Writes a file, recognises it and reads all its rows."""

    def read_file(content, name="file.jsonl", **options):
        source = open_source(save(content, name), limit=64 * 1024**2)
        return list(recognise(source, **options).rows())

    return read_file
