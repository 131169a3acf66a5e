"""The instructions that IFEval and its translations share, each in the words of one language."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.ifeval import formats, keywords, languages, lengths
from rubricstudio.core.checkers.ifeval.patterns import readable
from rubricstudio.core.checkers.ifeval.rules import Make, instruction, number, relation, text
from rubricstudio.core.checkers.params import Kind, Param

KEYWORDS: Final = Param(Kind.TEXTS, "the keywords; each is a pattern", required=True)
FORBIDDEN: Final = Param(Kind.TEXTS, "the words; each is a pattern", required=True)
KEYWORD: Final = text("the keyword")
PROMPT: Final = text("the request to repeat")
LETTER: Final = text("the letter")
PARAGRAPHS: Final = number("how many paragraphs there have to be")

ENGLISH_ANSWERS: Final = ("My answer is yes.", "My answer is no.", "My answer is maybe.")


@dataclass(frozen=True, slots=True)
class Tongue:
    """What differs between IFEval and a translation of it.

    ``prefix`` stands in front of the ids; ``words`` name the comparisons; ``answers`` are those of
    ``constrained_response``; ``title`` and ``quotes`` the marks around a title and a response.
    """

    words: Mapping[str, str]
    answers: tuple[str, ...]
    prefix: str = ""
    title: tuple[str, str] = ("<<", ">>")
    quotes: tuple[tuple[str, str], ...] = (('"', '"'),)
    comma: str = ","
    postscripts: Mapping[str, str] = field(default_factory=lambda: formats.POSTSCRIPTS)
    trim: Callable[[str], str] = formats.without_quotes
    begins: Callable[[str, str], tuple[bool, str]] = lengths.first_word
    # A translation may name a comparison where at least is meant all the same.
    least: Mapping[str, Param] = field(default_factory=dict)


def shared_types(tongue: Tongue) -> list[ConstraintType]:
    """The shared instructions under the ids of one language."""
    return [
        *_about_keywords(tongue),
        *_about_length(tongue),
        *_about_content(tongue),
        *_about_format(tongue),
        *_about_ends(tongue),
    ]


def _about_keywords(tongue: Tongue) -> list[ConstraintType]:
    words, name = tongue.words, tongue.prefix + "keywords:"
    return [
        instruction(
            name + "existence",
            "contains each of the keywords",
            keywords.existence,
            {"keywords": KEYWORDS},
            readable("keywords"),
        ),
        instruction(
            name + "frequency",
            "contains a keyword a number of times",
            keywords.frequency(words),
            {
                "keyword": KEYWORD,
                "frequency": number("how often"),
                "relation": relation(words),
            },
            readable("keyword"),
        ),
        instruction(
            name + "forbidden_words",
            "contains none of the words",
            keywords.forbidden_words,
            {"forbidden_words": FORBIDDEN},
            readable("forbidden_words"),
        ),
        instruction(
            name + "letter_frequency",
            "contains a letter a number of times",
            keywords.letter_frequency(words),
            letter_params(words),
            keywords.one_letter,
        ),
        instruction(
            tongue.prefix + "language:response_language",
            "is in a language",
            languages.response_language,
            {"language": text("the ISO 639-1 code of the language")},
        ),
    ]


def letter_params(words: Mapping[str, str]) -> dict[str, Param]:
    """The parameters of a number of letters."""
    return {
        "letter": LETTER,
        "let_frequency": number("how often"),
        "let_relation": relation(words),
    }


def _about_length(tongue: Tongue) -> list[ConstraintType]:
    words, name = tongue.words, tongue.prefix + "length_constraints:"
    return [
        sentences_type(tongue, lengths.number_sentences(words)),
        instruction(
            name + "number_words",
            "has a number of words",
            lengths.number_words(words),
            {"num_words": number("how many words"), "relation": relation(words)},
        ),
        instruction(
            name + "number_paragraphs",
            "has a number of paragraphs, with *** between them",
            lengths.number_paragraphs,
            {"num_paragraphs": PARAGRAPHS},
        ),
        instruction(
            name + "nth_paragraph_first_word",
            "has a number of paragraphs, and one of them begins with a word",
            lengths.nth_paragraph(tongue.begins),
            {
                "num_paragraphs": PARAGRAPHS,
                "nth_paragraph": number("which paragraph, the first being 1", least=1),
                "first_word": text("the word that it begins with"),
            },
            lengths.settle_nth,
        ),
    ]


def sentences_type(tongue: Tongue, make: Make) -> ConstraintType:
    """A number of sentences, which each language cuts in its own way."""
    return instruction(
        tongue.prefix + "length_constraints:number_sentences",
        "has a number of sentences",
        make,
        {"num_sentences": number("how many sentences"), "relation": relation(tongue.words)},
    )


def _about_content(tongue: Tongue) -> list[ConstraintType]:
    name = tongue.prefix + "detectable_content:"
    return [
        instruction(
            name + "number_placeholders",
            "has at least a number of placeholders in square brackets",
            formats.placeholders,
            {"num_placeholders": number("how many at least"), **tongue.least},
        ),
        instruction(
            name + "postscript",
            "has a postscript that begins with a marker",
            formats.postscript(tongue.postscripts),
            {"postscript_marker": text("the marker; another than P.S. and P.P.S is a pattern")},
            readable("postscript_marker", lower=True),
        ),
    ]


def _about_format(tongue: Tongue) -> list[ConstraintType]:
    name = tongue.prefix + "detectable_format:"
    left, right = tongue.title
    return [
        instruction(
            name + "number_bullet_lists",
            "has a number of bullets",
            formats.bullets(formats.STAR_BULLET, formats.DASH_BULLET),
            {"num_bullets": number("how many exactly")},
        ),
        instruction(
            name + "constrained_response",
            f"contains one of: {' '.join(tongue.answers)}",
            formats.constrained_response(tongue.answers),
        ),
        instruction(
            name + "number_highlighted_sections",
            "has at least a number of *highlights*",
            formats.highlights,
            {"num_highlights": number("how many at least"), **tongue.least},
        ),
        instruction(
            name + "multiple_sections",
            "has at least a number of sections, each marked by a word and a number",
            formats.sections(formats.numbered_section),
            {
                "section_spliter": text("the word in front of each section; a pattern"),
                "num_sections": number("how many at least"),
                **tongue.least,
            },
            readable("section_spliter"),
        ),
        instruction(name + "json_format", "is JSON, in a fence or not", formats.json_format),
        instruction(
            name + "title", f"has a title in {left} and {right}", formats.title(left, right)
        ),
    ]


def _about_ends(tongue: Tongue) -> list[ConstraintType]:
    prefix = tongue.prefix
    return [
        instruction(
            prefix + "combination:two_responses",
            "is two different responses with ****** between them",
            formats.two_responses,
        ),
        instruction(
            prefix + "combination:repeat_prompt",
            "begins with the request, word for word",
            formats.repeat_prompt(),
            {"prompt_to_repeat": PROMPT},
        ),
        instruction(
            prefix + "startend:end_checker",
            "ends with a phrase",
            formats.end_phrase(tongue.trim),
            {"end_phrase": text("the phrase at the end")},
        ),
        instruction(
            prefix + "startend:quotation",
            "stands in quotation marks as a whole",
            formats.quotation(tongue.quotes),
        ),
        instruction(
            prefix + "punctuation:no_comma",
            "has no comma",
            keywords.absent_sign(tongue.comma, "comma"),
        ),
    ]
