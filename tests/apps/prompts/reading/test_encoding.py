"""An encoding is known for certain or refused by name; a text never comes in garbled."""

import json

import pytest

from apps.activity.errors import BadInput
from apps.prompts.reading import BadRow, Row, open_source, recognise

FRENCH = "L'été dernier, nous avons visité le château où vécut la duchesse."
GERMAN = "Schreibe einen Brief über die schöne Mühle; groß und für später."
SPANISH = "¿Qué hora es? Mañana será otro día."
PORTUGUESE = "Não há soluções fáceis, então escreva três opções."
KOREAN = "한국의 수도는 어디입니까? 짧게 대답해 주세요."
CHINESE = "请用三句话介绍一下中国的首都北京。"
TAIWANESE = "請用三句話介紹一下臺灣的首都。"
JAPANESE = "日本の首都について三文で説明してください。"
QUOTED = "He said “stop” – don’t!"

KNOWN = [
    *[(text, "cp1252", "cp1252") for text in (FRENCH, GERMAN, SPANISH, PORTUGUESE, QUOTED)],
    ("café", "latin-1", "cp1252"),
    (KOREAN, "cp949", "cp949"),
    ("안녕하세요", "euc_kr", "cp949"),
    (CHINESE, "gb18030", "gb18030"),
    ("你好，世界", "gbk", "gb18030"),
    (TAIWANESE, "big5", "big5"),
    (JAPANESE, "cp932", "cp932"),
    (JAPANESE, "euc_jp", "euc_jp"),
    *[
        (text, mark, mark)
        for text in (FRENCH, KOREAN, CHINESE)
        for mark in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")
    ],
]
REFUSED = [
    ("Zażółć gęślą jaźń, proszę napisać list do przyjaciela.", "cp1250"),
    ("Příšerně žluťoučký kůň úpěl ďábelské ódy.", "cp1250"),
    ("Árvíztűrő tükörfúrógép, őszintén köszönöm.", "cp1250"),
    ("Şişli'de güneşli bir gün, çocuklar için öykü yaz.", "cp1254"),
    ("Напиши короткое письмо другу о погоде.", "cp1251"),
    ("Напиши короткое письмо другу о погоде.", "koi8-r"),
    ("Γράψε μια μικρή ιστορία για τη θάλασσα.", "cp1253"),
    (FRENCH, "mac_roman"),
    (FRENCH, "cp850"),
]


@pytest.mark.parametrize(("text", "written", "reported"), KNOWN)
@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_a_known_encoding_is_reported_and_read(save, kind, text, written, reported):
    line = json.dumps({"prompt": text}, ensure_ascii=False)
    content = f"{line}\n" if kind == "jsonl" else f'id,prompt\n1,"{text}"\n'

    file = recognise(open_source(save(content.encode(written), f"file.{kind}"), limit=10**6))

    assert file.encoding == reported
    assert [row.values["prompt"] for row in file.rows() if isinstance(row, Row)] == [text]


@pytest.mark.parametrize(("text", "written"), REFUSED)
def test_an_uncertain_encoding_is_refused_with_a_guess(save, text, written):
    content = json.dumps({"prompt": text}, ensure_ascii=False).encode(written)

    with pytest.raises(
        BadInput, match=r"is not UTF-8; it may be (\w+), .* say that its encoding is \1\."
    ):
        recognise(open_source(save(content), limit=10**6))


@pytest.mark.parametrize("written", ["cp1251", "cp1253", "cp1250"])
def test_the_guess_names_the_encoding_of_a_usual_text(save, written):
    text = {text_in: text for text, text_in in REFUSED}[written]
    content = json.dumps({"prompt": text}, ensure_ascii=False).encode(written)

    with pytest.raises(BadInput, match=f"its encoding is {written}"):
        recognise(open_source(save(content), limit=10**6))


def test_an_encoding_that_a_person_names_is_taken(read):
    text = "Напиши короткое письмо."

    rows = read(
        json.dumps({"prompt": text}, ensure_ascii=False).encode("koi8-r"), encoding="koi8-r"
    )

    assert rows[0].values["prompt"] == text


@pytest.mark.parametrize("named", ["cp949", "utf-16"])
def test_a_named_encoding_that_cannot_be_right_is_refused(save, named):
    content = b'{"prompt": "\xff\xff\xff"}'

    with pytest.raises(BadInput, match=f"not {named}"):
        recognise(open_source(save(content), limit=10**6), encoding=named)


@pytest.mark.parametrize("named", ["klingon", "base64", "idna"])
def test_an_encoding_that_does_not_exist_is_refused(save, named):
    with pytest.raises(BadInput):
        recognise(open_source(save(b'{"prompt": "\xe9"}'), limit=10**6), encoding=named)


def test_one_bad_byte_in_a_utf8_file_rejects_its_row_only(read):
    good = json.dumps({"prompt": KOREAN}, ensure_ascii=False).encode()

    rows = read(good + b'\n{"prompt": "ann\xe9e"}\n{"prompt": "plain"}\n')

    assert [type(row) for row in rows] == [Row, BadRow, Row]
    assert (rows[1].line, rows[1].column) == (2, 16)
    assert rows[1].reason == "the byte 0xE9 is not UTF-8: repair the row."


def test_a_half_surrogate_pair_in_the_bytes_rejects_its_row_only(read):
    good = json.dumps({"prompt": KOREAN}, ensure_ascii=False).encode()

    rows = read(good + b'\n{"prompt": "\xed\xa0\x80"}\n')

    assert [type(row) for row in rows] == [Row, BadRow]


def test_a_text_with_a_few_zero_bytes_is_not_taken_for_utf16(save):
    content = ('{"prompt": "' + "x" * 200 + '\x00"}\n').encode() * 20

    assert recognise(open_source(save(content), limit=10**6)).encoding == "utf-8"
