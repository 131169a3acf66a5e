"""The 58 instructions of IFBench's registry, as they are defined where its verdicts were made.

A later version of that evaluator cuts sentences otherwise and counts words of other kinds; what is
here is the version of the verdicts.
"""

from typing import Final

from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.ifeval import (
    bench_counts,
    bench_custom,
    bench_formats,
    bench_sentences,
    bench_words,
    keywords,
    lengths,
)
from rubricstudio.core.checkers.ifeval.rules import Make, instruction, number, text

_N: Final = {"N": number("how many")}
_SMALL: Final = {"small_n": number("how many")}
_PERCENT: Final = {"percentage": number("how many percent")}
_KEYWORD: Final = {"keyword": text("the keyword")}
_REQUEST: Final = {"prompt_to_repeat": text("the request to repeat")}

_COUNTS: Final = (
    instruction(
        "count:word_count_range",
        "has a number of words in a range",
        lengths.word_count_range,
        {"min_words": number("the least number"), "max_words": number("the greatest number")},
        lengths.settle_range,
    ),
    instruction(
        "count:unique_word_count",
        "has at least a number of different words",
        lengths.unique_words,
        _N,
    ),
    instruction(
        "count:conjunctions",
        "has at least a number of different coordinating conjunctions",
        bench_counts.conjunctions,
        _SMALL,
    ),
    instruction(
        "count:person_names",
        "names at least a number of the persons in the prompt's list",
        bench_counts.person_names,
        _N,
    ),
    instruction("count:numbers", "has an exact number of numbers", bench_counts.numbers, _N),
    instruction("count:pronouns", "has at least a number of pronouns", bench_counts.pronouns, _N),
    instruction(
        "count:punctuation", "has every common mark and an interrobang", bench_counts.punctuation
    ),
    instruction(
        "count:words_japanese",
        "every n-th word is Japanese",
        bench_counts.words_japanese,
        {"N": number("every how many words", least=1)},
    ),
    instruction(
        "count:keywords_multiple",
        "contains five keywords 1, 2, 3, 5 and 7 times",
        keywords.keywords_multiple,
        {
            f"keyword{place}": text(f"the keyword that is there {times} times")
            for place, times in enumerate(keywords.TIMES, start=1)
        },
    ),
    instruction(
        "ratio:stop_words",
        "has at most a share of stop words among its words",
        bench_counts.stop_words,
        _PERCENT,
    ),
    instruction(
        "ratio:overlap",
        "shares a percentage of its threes of characters with a text",
        bench_counts.overlap,
        {"reference_text": text("the text to compare with"), **_PERCENT},
    ),
    instruction(
        "ratio:sentence_type",
        "has twice as many statements as questions",
        bench_counts.sentence_type,
    ),
    instruction(
        "ratio:sentence_balance",
        "has as many statements as questions and exclamations",
        bench_counts.sentence_balance,
    ),
    instruction(
        "ratio:sentence_words",
        "is three sentences of the same length",
        bench_counts.sentence_words,
    ),
)

_SENTENCES: Final = (
    instruction(
        "sentence:keyword",
        "its n-th sentence holds a word",
        bench_sentences.keyword,
        {"word": text("the word"), "N": number("which sentence, the first being 1", least=1)},
    ),
    instruction(
        "sentence:increment",
        "every sentence has so many more words than the one before",
        bench_sentences.increment,
        _SMALL,
    ),
    instruction(
        "sentence:alliteration_increment",
        "every sentence has more alliterative words than the one before",
        bench_sentences.alliteration,
    ),
    instruction(
        "words:last_first",
        "every sentence begins with the last word of the one before",
        bench_sentences.last_first,
    ),
    instruction(
        "words:keywords_specific_position",
        "a keyword is the m-th token of the n-th sentence",
        bench_sentences.keyword_position,
        {
            **_KEYWORD,
            "n": number("which sentence, the first being 1", least=1),
            "m": number("which token of it, the first being 1", least=1),
        },
    ),
    instruction(
        "words:words_position",
        "its second token and its last but one are a keyword",
        bench_sentences.words_position,
        _KEYWORD,
    ),
    instruction("format:emoji", "every sentence ends with an emoji", bench_sentences.emoji_at_ends),
)


def _bare(*rows: tuple[str, str, Make]) -> tuple[ConstraintType, ...]:
    """Instructions that take no argument."""
    return tuple(instruction(name, meaning, make) for name, meaning, make in rows)


_WORDS: Final = (
    *_bare(
        ("words:alphabet", "every word begins with the next letter", bench_words.alphabet),
        ("words:vowel", "is one line with at most three kinds of vowels", bench_words.vowel),
        ("words:consonants", "every word has two consonants in a row", bench_words.consonants),
        ("words:palindrome", "has ten palindromes of five letters or more", bench_words.palindrome),
        ("words:prime_lengths", "the length of every word is a prime", bench_words.prime_lengths),
        (
            "words:no_consecutive",
            "no word begins as the one before",
            bench_words.no_consecutive,
        ),
        (
            "words:odd_even_syllables",
            "words with odd and even numbers of syllables take turns",
            bench_words.odd_even_syllables,
        ),
        (
            "words:paragraph_last_first",
            "every line ends with the word it begins with",
            bench_words.paragraph_last_first,
        ),
        ("words:start_verb", "begins with a verb", bench_words.start_verb),
    ),
    instruction("words:repeats", "has no word more often than asked", bench_words.repeats, _SMALL),
)

_FORMATS: Final = (
    instruction(
        "format:options",
        "is one of the options",
        bench_formats.options,
        {"options": text("the options, with /, or, or a comma between them")},
    ),
    instruction(
        "format:list",
        "has a marker of items at least twice",
        bench_formats.bullet_marks,
        {"sep": text("the marker")},
    ),
    instruction(
        "repeat:repeat_change",
        "is the request with another first word",
        bench_formats.repeat_change,
        _REQUEST,
    ),
    instruction(
        "repeat:repeat_span",
        "is a stretch of the request",
        bench_formats.repeat_span,
        {
            **_REQUEST,
            "n_start": number("the first word, counted from 0"),
            "n_end": number("the word behind the last, counted from 0"),
        },
        bench_formats.settle_span,
    ),
    *_bare(
        ("format:newline", "has each word on a line of its own", bench_formats.newline),
        ("format:title_case", "is in title case", bench_formats.title_case),
        (
            "format:output_template",
            "has My Answer:, My Conclusion: and Future Outlook:",
            bench_formats.output_template,
        ),
        ("format:no_whitespace", "has no white space", bench_formats.no_whitespace),
        ("format:sub-bullets", "has a - behind every *", bench_formats.sub_bullets),
        (
            "format:thesis",
            "has a thesis in italics by HTML and a text behind",
            bench_formats.thesis,
        ),
        (
            "format:no_bullets_bullets",
            "has two sentences and then two bullets or more",
            bench_formats.no_bullets_bullets,
        ),
        ("format:parentheses", "has brackets five deep", bench_formats.parentheses),
        ("format:quotes", "has quotes three deep", bench_formats.quotes),
        (
            "format:quote_unquote",
            "has an explanation behind every quotation",
            bench_formats.quote_unquote,
        ),
        ("format:line_indent", "indents every line more", bench_formats.line_indent),
        (
            "repeat:repeat_simple",
            "is the sentence that asks to repeat it",
            bench_formats.repeat_simple,
        ),
    ),
)

_CUSTOM: Final = _bare(
    ("custom:multiples", "counts the multiples of 7 from 10 to 50", bench_custom.multiples),
    (
        "custom:mcq_count_length",
        "is four questions with five options each, every one longer",
        bench_custom.mcq_count_length,
    ),
    (
        "custom:reverse_newline",
        "lists the countries of Africa from the last to the first",
        bench_custom.reverse_newline,
    ),
    (
        "custom:word_reverse",
        "names the bald eagle with its words in reverse order",
        bench_custom.word_reverse,
    ),
    (
        "custom:character_reverse",
        "names the bald eagle with its letters in reverse order",
        bench_custom.character_reverse,
    ),
    (
        "custom:sentence_alphabet",
        "is 26 sentences that begin with the letters in order",
        bench_sentences.sentence_alphabet,
    ),
    (
        "custom:european_capitals_sort",
        "lists the capitals north of 45 degrees from north to south",
        bench_custom.european_capitals,
    ),
    ("custom:csv_city", "is CSV with five columns and seven rows", bench_custom.csv_city),
    (
        "custom:csv_special_character",
        "is CSV with 14 rows and a special character in quotes",
        bench_custom.csv_special,
    ),
    (
        "custom:csv_quotes",
        "is CSV with tabs, three rows and every field in quotes",
        bench_custom.csv_quotes,
    ),
    (
        "custom:date_format_list",
        "lists dates of Napoleon's life as YYYY-MM-DD",
        bench_custom.date_format_list,
    ),
)

BENCH_TYPES: Final[tuple[ConstraintType, ...]] = (
    *_COUNTS,
    *_SENTENCES,
    *_WORDS,
    *_FORMATS,
    *_CUSTOM,
)
