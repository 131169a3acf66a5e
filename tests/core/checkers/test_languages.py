"""The language of a response: by its script where that tells it, by a detector otherwise."""

import sys

import pytest

from rubricstudio.core.checkers import languages
from tests.core.checkers.checking import check, passes

ENGLISH = "The committee met on Tuesday and agreed that the library should stay open longer."
GERMAN = "Der Ausschuss hat am Dienstag beschlossen, dass die Bibliothek länger geöffnet bleibt."
CHINESE = "委员会星期二开会,决定图书馆应该延长开放时间。"
JAPANESE = "委員会は火曜日に会議を開き、図書館の開館時間を延長することに決めました。"
RUSSIAN = "Комитет собрался во вторник и решил, что библиотека должна работать дольше."


@pytest.mark.parametrize(
    ("code", "response", "expected"),
    [
        ("zh", CHINESE, True),
        ("zh", JAPANESE, False),
        ("ja", JAPANESE, True),
        ("ja", CHINESE, False),
        ("ko", "위원회는 화요일에 모여 도서관을 더 오래 열기로 했습니다.", True),
        ("th", "คณะกรรมการประชุมเมื่อวันอังคารและตกลงให้เปิดห้องสมุดนานขึ้น", True),
        ("he", "הוועדה נפגשה ביום שלישי והחליטה להאריך את שעות הפתיחה.", True),
        ("en", CHINESE, False),
        ("zh", ENGLISH, False),
        ("ru", ENGLISH, False),
        ("en", "ok then", None),
        ("en", "12345 67890 🙂🙂🙂", None),
        ("zh", "是的。", None),
        ("zh", "我们使用 Django 和 PostgreSQL 来搭建这个网站的后端服务。", True),
        ("ta", "እንደምን አደራችሁ ወንድሞች እና እህቶች በሙሉ ዛሬ", False),
    ],
)
def test_a_script_that_belongs_to_one_language_tells_it(code, response, expected):
    assert passes("language", {"language": code}, response) is expected


def test_code_and_addresses_are_of_no_language():
    response = f"{CHINESE}\n\n```\nfor item in collection: print(item.description_of_it)\n```"

    assert passes("language", {"language": "zh"}, response) is True


def test_the_reason_names_the_script_and_the_language():
    outcome = check("language", {"language": "zh"}, ENGLISH)

    assert outcome.reason == "mostly in Latin script, Chinese asked"


@pytest.mark.parametrize(
    ("code", "response", "expected"),
    [
        ("en", ENGLISH, True),
        ("de", ENGLISH, False),
        ("de", GERMAN, True),
        ("en", GERMAN, False),
        ("ru", RUSSIAN, True),
        ("bg", RUSSIAN, False),
    ],
)
def test_a_detector_tells_languages_of_one_script(code, response, expected):
    pytest.importorskip("lingua")

    assert passes("language", {"language": code}, response) is expected


def test_the_detector_knows_every_language_that_can_be_asked_for():
    lingua = pytest.importorskip("lingua")

    known = {one.iso_code_639_1.name.lower() for one in lingua.Language.all()}

    assert set(languages.LANGUAGES) <= known


def test_without_the_detector_languages_of_one_script_are_not_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "lingua", None)
    languages._detector.cache_clear()

    assert passes("language", {"language": "en"}, ENGLISH) is None
    assert passes("language", {"language": "en", "among": ["zh"]}, ENGLISH) is True
    assert passes("language", {"language": "ko"}, ENGLISH) is False

    languages._detector.cache_clear()
