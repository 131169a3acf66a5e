"""The instructions of M-IFEval, in French, Spanish and Japanese, and those that are refused.

Where the published versions differ, the newest is followed: it looks for Japanese keywords as they
stand, and overlooks lists and emphasis before a first word and behind a last phrase.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.ifeval import formats, keywords, languages, lengths, multilingual
from rubricstudio.core.checkers.ifeval.patterns import literal, readable
from rubricstudio.core.checkers.ifeval.rules import (
    FRENCH,
    JAPANESE,
    SPANISH,
    instruction,
    number,
    relation,
    text,
)
from rubricstudio.core.checkers.ifeval.shared_types import (
    FORBIDDEN,
    KEYWORD,
    KEYWORDS,
    PROMPT,
    Tongue,
    letter_params,
    sentences_type,
    shared_types,
)
from rubricstudio.core.checkers.params import Kind, Param

_IN_CASE: Final = partial(literal, ignore_case=False)

_FRENCH: Final = Tongue(
    FRENCH,
    ("Oui.", "Non.", "Peut-être."),
    prefix="fr:",
    title=("##", "##"),
    quotes=(('"', '"'), ("'", "'"), ("«", "»")),
)
_SPANISH: Final = Tongue(
    SPANISH,
    ("Sí.", "No.", "Quizás."),
    prefix="es:",
    postscripts={"P.D.": r"p\.\s?d\."},
    trim=multilingual.without_stop,
    begins=lengths.first_words,
    least={
        "relation": Param(Kind.CHOICE, "always at least, whatever it says", choices=tuple(SPANISH))
    },
)
_JAPANESE: Final = Tongue(
    JAPANESE,
    ("はい、そうです。", "いいえ、違います。", "どちらとも言えません。"),
    prefix="ja:",
    title=("『", "』"),
    quotes=(("「", "」"),),
    comma="、",
    begins=multilingual.begins_with,
)

_FRENCH_OWN: Final = (
    sentences_type(_FRENCH, lengths.number_sentences_french(FRENCH)),
    instruction(
        "fr:change_case:french_capital",
        "is in French and in capitals",
        languages.in_case(languages.CAPITALS, "fr", lowered=True),
    ),
    instruction(
        "fr:change_case:french_lowercase",
        "is in French and in small letters",
        languages.in_case(languages.SMALL, "fr"),
    ),
    instruction(
        "fr:change_case:capital_word_frequency",
        "has a number of words in capitals",
        languages.capital_words(FRENCH),
        {"capital_frequency": number("how many"), "capital_relation": relation(FRENCH)},
    ),
    instruction(
        "fr:special_character:ethel_or_cedilla",
        "has a character nowhere",
        multilingual.forbidden_char,
        {"forbidden_char": text("the character")},
    ),
    instruction("fr:special_character:no_accents", "has no accent", multilingual.no_accents),
    instruction(
        "fr:special_character:accents",
        "has the accents of some words",
        multilingual.accents,
        {
            "word_to_accentuate": Param(
                Kind.PAIRS, "for each word without accents the right one", required=True
            )
        },
    ),
    instruction(
        "fr:detectable_content:informal_address",
        "calls the reader tu",
        multilingual.informal_address,
    ),
    instruction("fr:detectable_content:no_digits", "has no digit", multilingual.no_digits),
)

_SPANISH_OWN: Final = (
    instruction(
        "es:detectable_format:number_bullet_lists",
        "has a number of bullets with a star",
        formats.bullets(formats.STAR_BULLET),
        {"num_bullets": number("how many exactly")},
    ),
    instruction(
        "es:change_case:spanish_capital",
        "is in Spanish and in capitals",
        languages.in_case(languages.SPANISH_CAPITALS, "es", lowered=True),
    ),
    instruction(
        "es:change_case:spanish_lowercase",
        "is in Spanish and in small letters",
        languages.in_case(languages.SMALL, "es"),
    ),
    instruction(
        "es:punctuation:question_marks",
        "has a question in ¿ and ?",
        multilingual.between_marks("¿", "?", "the question"),
    ),
    instruction(
        "es:punctuation:exclamation_marks",
        "has an exclamation in ¡ and !",
        multilingual.between_marks("¡", "!", "the exclamation"),
    ),
)

_JAPANESE_OWN: Final = (
    sentences_type(_JAPANESE, lengths.number_sentences_japanese(JAPANESE)),
    instruction(
        "ja:keywords:existence",
        "contains each of the keywords",
        lambda params: keywords.contains_all(
            {one: _IN_CASE(one) for one in sorted(params["keywords"])}
        ),
        {"keywords": KEYWORDS},
    ),
    instruction(
        "ja:keywords:frequency",
        "contains a keyword a number of times",
        keywords.frequency(JAPANESE, _IN_CASE),
        {"keyword": KEYWORD, "frequency": number("how often"), "relation": relation(JAPANESE)},
    ),
    instruction(
        "ja:keywords:forbidden_words",
        "contains none of the words",
        lambda params: keywords.contains_none(
            {one: _IN_CASE(one) for one in sorted(set(params["forbidden_words"]))}
        ),
        {"forbidden_words": FORBIDDEN},
    ),
    instruction(
        "ja:keywords:letter_frequency",
        "contains a kana a number of times",
        multilingual.japanese_letter,
        letter_params(JAPANESE),
        multilingual.one_hiragana,
    ),
    instruction(
        "ja:length_constraints:number_letters",
        "has a number of characters",
        lengths.number_letters(JAPANESE),
        {"num_letters": number("how many"), "relation": relation(JAPANESE)},
    ),
    instruction(
        "ja:detectable_content:postscript",
        "has a postscript that begins with a marker",
        multilingual.japanese_postscript,
        {"postscript_marker": text("the marker")},
    ),
    instruction(
        "ja:detectable_format:number_bullet_lists",
        "has a number of bullets",
        formats.bullets(
            multilingual.DOT_BULLET, formats.STAR_BULLET, multilingual.SPACED_DASH_BULLET
        ),
        {"num_bullets": number("how many exactly")},
    ),
    instruction(
        "ja:detectable_format:number_numbered_lists",
        "has a number of numbered items",
        formats.numbered(multilingual.NUMBERED_ITEM),
        {"num_items": number("how many exactly")},
    ),
    instruction(
        "ja:detectable_format:number_highlighted_sections",
        "has at least a number of highlights in 《》",
        multilingual.japanese_highlights,
        {"num_highlights": number("how many at least")},
    ),
    instruction(
        "ja:detectable_format:multiple_sections",
        "has at least a number of sections, each marked by 第, a number and a word",
        formats.sections(multilingual.japanese_section),
        {
            "section_spliter": text("the word behind the number; a pattern"),
            "num_sections": number("how many at least"),
        },
        readable("section_spliter"),
    ),
    instruction(
        "ja:combination:repeat_prompt",
        "begins with the request, word for word",
        formats.repeat_prompt(ignore_case=False),
        {"prompt_to_repeat": PROMPT},
    ),
    instruction(
        "ja:startend:end_checker",
        "ends with a phrase",
        formats.end_phrase(multilingual.without_emphasis, ignore_case=False),
        {"end_phrase": text("the phrase at the end")},
    ),
    instruction(
        "ja:startend:sentence_unified_end",
        "every sentence ends alike",
        multilingual.sentence_unified_end,
        {"ending": text("the end of every sentence")},
    ),
    instruction("ja:punctuation:no_period", "has no 。", keywords.absent_sign("。", "full stop")),
    instruction("ja:letters:furigana", "has a reading behind all kanji", multilingual.furigana),
    instruction(
        "ja:letters:kanji",
        "has a number of kanji",
        multilingual.kanji,
        {"kanji_limit": number("how many"), "relation": relation(JAPANESE)},
    ),
    instruction("ja:letters:kansuuji", "has no digit", multilingual.no_digits),
    instruction(
        "ja:letters:no_hiragana", "has no hiragana", multilingual.no_kana("ぁ-ゖ", "hiragana")
    ),
    instruction(
        "ja:letters:hiragana_only",
        "has no letter but hiragana",
        multilingual.kana_only("ぁ-んー", "hiragana"),
    ),
    instruction(
        "ja:letters:no_katakana", "has no katakana", multilingual.no_kana("ァ-ヺｦ-ﾟ", "katakana")
    ),
    instruction(
        "ja:letters:katakana_only",
        "has no letter but katakana",
        multilingual.kana_only("ァ-ンー・ｦ-ﾟ", "katakana"),
    ),
)

_BY_SPACY: Final = (
    "es:length_constraints:number_sentences",
    "es:length_constraints:number_words",
    "es:change_case:capital_word_frequency",
    "es:special_character:enie",
    "es:special_character:dieresis",
    "es:special_character:tildes",
)

REFUSED: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        _BY_SPACY,
        "its published definition cuts words and sentences with the trained Spanish model "
        "es_core_news_sm, which no package registry has",
    ),
    "ja:detectable_format:nominal_ending": "its published definition finds nouns with the "
    "dictionary of a Japanese tagger, which is not here",
}
"""Instructions of M-IFEval that no checker here answers, with the reason."""


def _language(
    tongue: Tongue, own: tuple[ConstraintType, ...], drop: Callable[[str], bool]
) -> list[ConstraintType]:
    """The shared instructions, and a language's own ones in their place or beside them."""
    table = {one.name: one for one in [*shared_types(tongue), *own]}
    return [one for name, one in table.items() if name not in REFUSED and not drop(name)]


MULTILINGUAL_TYPES: Final[tuple[ConstraintType, ...]] = (
    *_language(_FRENCH, _FRENCH_OWN, lambda _: False),
    *_language(_SPANISH, _SPANISH_OWN, lambda _: False),
    *_language(_JAPANESE, _JAPANESE_OWN, lambda name: name.endswith(":number_words")),
)
