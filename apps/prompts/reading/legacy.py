"""Encodings from before UTF-8, told apart by what the text looks like when it is read as each.

A file reads as several of them without an error. The right one gives common characters of one
script; the wrong ones give rare characters, broken words or signs amid words. An encoding is
certain when it alone looks right. Single-byte encodings beyond western Europe never are: they are
guessed by charset-normalizer and left to a person.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import NamedTuple

from charset_normalizer import from_bytes

# The characters that make up three quarters of any Chinese text.
SIMPLIFIED = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过"
    "发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本"
    "前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很"
    "最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度"
    "门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电"
    "数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马"
    "科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万"
    "取拉格望觉术领共确传师观清今切院让识候带导争运请用写介绍京首都答字回句"
)
TRADITIONAL = frozenset(
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過"
    "發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本"
    "前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很"
    "最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度"
    "門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電"
    "數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬"
    "科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬"
    "取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運請寫介紹灣臺京首答字句"
)
FEWEST_CHARACTERS = 4
WESTERN_LETTERS = frozenset("àâäáãåæçèéêëíîïñóôöòøœúùûüßª°º")
WESTERN_SIGNS = frozenset("“”‘’„‚«»‹›¿¡–—…•·°§£€¥¢©®™±²³×÷½¼¾µªº´\xa0\xad")
WORD = re.compile(r"[^\W\d_]+")
# A sign between two letters, other than an apostrophe, a middle dot, a dash or a soft hyphen.
SIGN_IN_WORD = re.compile(r"(?<=[^\W\d_])[^\w\s\x00-\x7f’·–—…\xad](?=[^\W\d_])")
UPPER_IN_WORD = re.compile(r"[a-zß-ÿ][À-ÞŠŒŽŸ]")


class LegacyGuess(NamedTuple):
    """An encoding, empty where there is no guess, and whether it alone looks right."""

    encoding: str
    certain: bool


def guess_legacy(sample: bytes) -> LegacyGuess:
    """The encoding of bytes that are not UTF-8."""
    likely = [name for name, looks_right in CANDIDATES.items() if _reads(sample, name, looks_right)]
    if len(likely) == 1:
        return LegacyGuess(likely[0], certain=True)
    if likely:
        return LegacyGuess(likely[0], certain=False)
    # What looked wrong above is no guess either, whatever the frequency tables say.
    others = (match.encoding for match in from_bytes(sample) if match.encoding not in CANDIDATES)
    return LegacyGuess(next(others, ""), certain=False)


def _reads(sample: bytes, encoding: str, looks_right: Callable[[str], bool]) -> bool:
    try:
        text = _without_cut_character(sample, encoding)
    except UnicodeDecodeError:
        return False
    return looks_right(text)


def _without_cut_character(sample: bytes, encoding: str) -> str:
    """The text of a sample whose end may cut a character in two."""
    try:
        return sample.decode(encoding)
    except UnicodeDecodeError as error:
        if error.start < len(sample) - 4:
            raise
        return sample[: error.start].decode(encoding)


def _looks_korean(text: str) -> bool:
    foreign = _foreign(text)
    common = [one for one in foreign if "가" <= one <= "힣" and _encodes(one, "euc_kr")]
    return _share(common, foreign) >= 0.9


def _looks_japanese(text: str) -> bool:
    foreign = _foreign(text)
    kana = [one for one in foreign if "ぁ" <= one <= "ヿ"]
    known = [one for one in foreign if _is_kanji(one) or "ぁ" <= one <= "ヿ"]
    return _share(kana, foreign) >= 0.25 and _share(known, foreign) >= 0.95


def _looks_chinese(common: frozenset[str]) -> Callable[[str], bool]:
    def looks_right(text: str) -> bool:
        foreign = _foreign(text)
        hanzi = [one for one in foreign if _is_kanji(one)]
        return (
            _share(hanzi, foreign) >= 0.9
            and _share([one for one in hanzi if one in common], hanzi) >= 0.45
        )

    return looks_right


def _looks_western(text: str) -> bool:
    """Accented letters amid ASCII ones, and signs where signs stand."""
    text = text.replace("õe", "oe")  # Portuguese; elsewhere õ is a Hungarian ő read wrongly
    if SIGN_IN_WORD.search(text) or UPPER_IN_WORD.search(text):
        return False
    foreign = [one for one in text if one > "\x7f"]
    usual = [one for one in foreign if one in WESTERN_SIGNS or one.lower() in WESTERN_LETTERS]
    words = [word for word in WORD.findall(text) if not word.isascii()]
    accents = sum(one > "\x7f" for word in words for one in word)
    letters = sum(map(len, words))
    return len(usual) >= 0.95 * len(foreign) and accents <= 0.5 * letters and bool(foreign)


def _foreign(text: str) -> list[str]:
    """The letters and syllables beyond ASCII; punctuation proves nothing."""
    return [one for one in text if one > "\x7f" and unicodedata.category(one)[0] in "LMNC"]


def _is_kanji(one: str) -> bool:
    return "一" <= one <= "鿿" or one in "々〇"


def _encodes(one: str, encoding: str) -> bool:
    try:
        one.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _share(part: Iterable[str], whole: list[str]) -> float:
    """How much of the whole; 0 where the whole is too little to tell."""
    return len(list(part)) / len(whole) if len(whole) >= FEWEST_CHARACTERS else 0.0


CANDIDATES: dict[str, Callable[[str], bool]] = {
    "cp949": _looks_korean,
    "cp932": _looks_japanese,
    "euc_jp": _looks_japanese,
    "gb18030": _looks_chinese(SIMPLIFIED),
    "big5": _looks_chinese(TRADITIONAL),
    "cp1252": _looks_western,
}
