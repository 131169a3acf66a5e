"""Every instruction: what follows it, what does not, and what is said about it."""

import json
import subprocess
import sys

import pytest

from rubricstudio.core.checkers import ifeval, registry
from rubricstudio.core.checkers.segmentation import DocumentView
from rubricstudio.core.errors import ConstraintError, RefusedConstraint
from rubricstudio.core.types import IFEVAL, CheckCause, CheckResult, Constraint
from tests.core.checkers.ifeval.examples import EXAMPLES

WITHOUT_AN_ANSWER = {"words:start_verb"}


def checker(name, params=None, *, loose=False):
    constraint = Constraint(name, params or {}, {"loose": loose}, dialect=IFEVAL)
    return registry.compile_checker(constraint)


def check(name, params, response, **options):
    return checker(name, params, **options).check(DocumentView(response))


def test_all_instructions_of_ifeval_and_of_the_registry_of_ifbench_are_checked():
    assert len(ifeval.INSTRUCTIONS) == 25
    assert len(ifeval.BENCH_TYPES) == 58


def test_every_instruction_but_those_that_are_refused_has_an_example():
    assert set(ifeval.IFEVAL_TYPES) - set(EXAMPLES) == WITHOUT_AN_ANSWER
    assert set(EXAMPLES) - set(ifeval.IFEVAL_TYPES) == set(ifeval.REFUSED) & set(EXAMPLES)


CHECKED = [(name, example) for name, example in EXAMPLES.items() if name not in ifeval.REFUSED]


@pytest.mark.parametrize(("name", "example"), CHECKED, ids=[name for name, _ in CHECKED])
def test_a_response_that_follows_passes_and_one_that_does_not_fails(name, example):
    follows = check(name, example.params, example.follows)
    fails = check(name, example.params, example.fails)

    assert (follows.result, fails.result) == ("passed", "failed"), (follows.reason, fails.reason)
    for outcome in (follows, fails):
        assert outcome.reason
        assert "\n" not in outcome.reason


@pytest.mark.parametrize(("name", "example"), CHECKED, ids=[name for name, _ in CHECKED])
def test_every_place_lies_inside_the_response_behind_its_thinking(name, example):
    thinking = "<think>\n* Hm, [a] *b*\n</think>\n\n"
    for answer in (example.follows, example.fails):
        response = thinking + answer
        alone, behind = check(name, example.params, answer), check(name, example.params, response)

        assert behind.result == alone.result
        shown = [response[start:end] for start, end in behind.spans]
        assert shown == [answer[start:end] for start, end in alone.spans]


@pytest.mark.parametrize("name", ifeval.IFEVAL_TYPES)
@pytest.mark.parametrize("response", ["", " \n\t", "<think>Hm.</think>"])
def test_an_empty_response_follows_nothing(name, response):
    params = EXAMPLES[name].params if name in EXAMPLES else {}

    assert check(name, params, response).reason == "the response is empty"
    assert check(name, params, response, loose=True).result == "failed"


@pytest.mark.parametrize("name", ifeval.IFEVAL_TYPES)
def test_every_instruction_says_what_it_asks_and_which_arguments_it_takes(name):
    kind = ifeval.IFEVAL_TYPES[name]

    assert kind.meaning
    assert json.dumps(kind.json_schema())
    assert all(param.meaning for param in kind.params.values())
    assert [name for name, param in kind.params.items() if not param.required] in ([], ["relation"])


def test_whether_a_response_begins_with_a_verb_has_no_answer():
    outcome = check("words:start_verb", {}, "Run!")

    assert (outcome.result, outcome.cause) == (CheckResult.UNAVAILABLE, CheckCause.ABSTAINED)
    assert "part-of-speech tagger" in outcome.reason


@pytest.mark.parametrize("name", [*ifeval.REFUSED, "fr:foo:bar", "length_constraints:number_word"])
def test_an_instruction_that_is_not_checked_is_refused_by_name(name):
    with pytest.raises(RefusedConstraint, match=f"^{name} is not checked: it"):
        registry.normalised(Constraint(name, dialect=IFEVAL))


def test_a_type_of_the_other_dialect_is_no_instruction():
    constraint = Constraint("word_count", {"op": "le", "value": 9}, dialect=IFEVAL)

    assert registry.refusal(constraint) == (
        "word_count is not checked: it is no instruction of IFEval, IFBench or M-IFEval"
    )


@pytest.mark.parametrize(
    ("name", "params", "sentence"),
    [
        ("length_constraints:number_words", {}, "needs num_words: how many words"),
        ("length_constraints:number_words", {"num_words": 3}, "needs relation"),
        (
            "length_constraints:number_words",
            {"num_words": -1, "relation": "at least"},
            "a whole number from 0 to 10,000,000",
        ),
        (
            "length_constraints:number_words",
            {"num_words": 10**12, "relation": "at least"},
            "a whole number from 0 to 10,000,000",
        ),
        (
            "length_constraints:number_words",
            {"num_words": "many", "relation": "at least"},
            "a whole number",
        ),
        (
            "length_constraints:number_words",
            {"num_words": 3, "relation": "at most"},
            "it has to be one of less than, at least",
        ),
        ("punctuation:no_comma", {"commas": 3}, "punctuation:no_comma takes no 'commas'"),
        ("keywords:existence", {"keywords": []}, "a list with at least one text"),
        ("keywords:existence", {"keywords": [""]}, "text that is not blank"),
        ("keywords:existence", {"keywords": ["a("]}, '"a\\(" is not a pattern'),
        ("keywords:existence", {"keywords": ["a" * 499 + ".+"]}, "more than 500 characters"),
        ("keywords:frequency", {"keyword": "*", "frequency": 1, "relation": "at least"}, "pattern"),
        ("detectable_content:postscript", {"postscript_marker": "P)"}, "is not a pattern"),
        (
            "keywords:letter_frequency",
            {"letter": "ab", "let_frequency": 1, "let_relation": "at least"},
            "has to be one character",
        ),
        (
            "ja:keywords:letter_frequency",
            {"letter": "a", "let_frequency": 1, "let_relation": "以上"},
            "has to be one hiragana",
        ),
        (
            "length_constraints:nth_paragraph_first_word",
            {"num_paragraphs": 2, "nth_paragraph": 3, "first_word": "a"},
            "paragraph 3 of 2 there is none",
        ),
        (
            "length_constraints:nth_paragraph_first_word",
            {"num_paragraphs": 2, "nth_paragraph": 0, "first_word": "a"},
            "a whole number from 1",
        ),
        ("count:word_count_range", {"min_words": 3, "max_words": 2}, "nothing lies"),
        ("count:words_japanese", {"N": 0}, "a whole number from 1"),
        (
            "repeat:repeat_span",
            {"prompt_to_repeat": "a b", "n_start": 1, "n_end": 1},
            "from word 1 to word 1 nothing lies",
        ),
        ("startend:end_checker", {"end_phrase": " "}, "text that is not blank"),
        (
            "fr:special_character:accents",
            {"word_to_accentuate": {}},
            "an object that gives at least one text",
        ),
        (
            "fr:special_character:accents",
            {"word_to_accentuate": {"a": 1}},
            "text that is not blank",
        ),
    ],
)
def test_wrong_arguments_are_refused_with_a_sentence(name, params, sentence):
    with pytest.raises(ConstraintError, match=sentence):
        registry.normalised(Constraint(name, params, dialect=IFEVAL))


def test_nothing_at_all_can_be_asked_for():
    params = {"num_words": 0, "relation": "at least"}

    assert check("length_constraints:number_words", params, "a").result == "passed"


@pytest.mark.parametrize(
    ("response", "told"),
    [
        ("Sure, here:\na b", "its first line"),
        ("a b\nBye, then.", "its last line"),
        ("Sure, here:\na b\nBye, then.", "its first and last lines"),
    ],
)
def test_the_loose_reading_overlooks_a_first_and_a_last_line(response, told):
    assert check("punctuation:no_comma", {}, response).result == "failed"
    loose = check("punctuation:no_comma", {}, response, loose=True)

    assert (loose.result, loose.reason, loose.spans) == ("passed", f"without {told}: no comma", ())


def test_the_loose_reading_overlooks_stars():
    params = {"prompt_to_repeat": "Say hi."}

    assert check("combination:repeat_prompt", params, "**Say** hi.").result == "failed"
    loose = check("combination:repeat_prompt", params, "**Say** hi.", loose=True)
    assert loose.reason == "without its stars: it begins with the request"


def test_what_fails_loosely_is_told_as_it_fails_strictly():
    outcome = check("punctuation:no_comma", {}, "a, b\nc, d\ne, f", loose=True)

    assert (outcome.result, outcome.reason) == ("failed", "3 commas, none asked")
    assert outcome.spans == ((1, 2), (6, 7), (11, 12))


@pytest.mark.parametrize("name", ["language:response_language", "change_case:english_capital"])
def test_a_language_that_cannot_be_detected_counts_as_followed_unless_the_case_is_wrong(name):
    params = {"language": "de"} if name.startswith("language") else {}

    outcome = check(name, params, "12 🙂" if params else "Ⅳ")
    assert (outcome.result, outcome.reason) == (
        "passed",
        "no language detected, which counts as followed",
    )


def test_a_response_without_letters_is_in_no_case():
    outcome = check("change_case:english_lowercase", {}, "12, 34")

    assert (outcome.result, outcome.reason) == (
        "failed",
        "there is no letter that is a capital or small",
    )


def test_a_keyword_is_a_pattern_and_one_that_takes_too_long_has_no_answer():
    params = {"keyword": "(a|aa)+$", "frequency": 1, "relation": "at least"}

    outcome = check("keywords:frequency", params, "a" * 60 + "b")
    assert (outcome.result, outcome.cause) == (CheckResult.UNAVAILABLE, CheckCause.ABSTAINED)
    assert outcome.reason == 'the pattern "(a|aa)+$" took longer than 1 s'


def test_what_was_found_and_what_is_wrong_is_shown_in_the_response():
    response = "Sentence one. Tea, 日本."

    assert check("punctuation:no_comma", {}, response).spans == ((17, 18),)
    wrong = check("sentence:keyword", {"word": "milk", "N": 2}, response)
    assert [response[a:b] for a, b in wrong.spans] == ["Tea, 日本."]
    assert wrong.reason == 'sentence 2: "milk" not found'


def test_the_published_quirk_of_three_dashes_being_a_bullet_is_kept():
    outcome = check("detectable_format:number_bullet_lists", {"num_bullets": 1}, "a\n\n---\n\nb")

    assert (outcome.result, outcome.reason) == ("passed", "1 bullet, exactly 1 asked")


def test_no_library_is_loaded_before_an_instruction_needs_it():
    code = (
        "import sys, rubricstudio.core.checkers, rubricstudio.scoring.cli;"
        "names = {name.partition('.')[0] for name in sys.modules};"
        "print(sorted(names & {'nltk', 'punkt', 'emoji', 'langdetect_rs', 'syllapy',"
        " 'ja_sentence_segmenter', 'django'}))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_missing_library_is_no_answer_and_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "emoji", None)

    outcome = check("format:emoji", {}, "Good 🙂")
    assert (outcome.result, outcome.cause) == (CheckResult.UNAVAILABLE, CheckCause.ABSTAINED)
    assert outcome.reason == "the package emoji is missing; install rubricstudio[ifeval]"
