"""The format is told by content, whatever the file is called."""

import pytest

from apps.activity.errors import BadInput
from apps.prompts.reading import FileFormat, open_source, recognise

CONTENT = {
    FileFormat.JSONL: '{"prompt": "a"}\n{"prompt": "b"}\n',
    FileFormat.JSON: '\n [{"prompt": "a"}]',
    FileFormat.CSV: "id,prompt\n1,a\n",
    FileFormat.TSV: "id\tprompt\n1\ta\n",
}


@pytest.mark.parametrize("name", ["file", "file.csv", "file.json", "file.txt"])
@pytest.mark.parametrize("format", FileFormat)
def test_the_content_tells_the_format(save, format, name):
    source = open_source(save(CONTENT[format], name), limit=1000)

    assert recognise(source).format is format


def test_a_format_that_is_named_is_taken(read):
    found = read('{"prompt"\n"a"\n', format="csv")

    assert found[0].values == {'{"prompt"': "a"}


def test_lines_whose_first_is_broken_are_still_lines(save):
    source = open_source(save('{"prompt": \n{"prompt": "b"}\n'), limit=1000)

    assert recognise(source).format is FileFormat.JSONL


def test_one_object_over_many_lines_is_refused(save):
    with pytest.raises(BadInput, match="one JSON object over many lines"):
        recognise(open_source(save('{\n  "rows": [\n    1\n  ]\n}\n'), limit=1000))
