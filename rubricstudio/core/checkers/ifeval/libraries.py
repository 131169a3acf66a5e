"""The libraries that the published evaluators read texts with, each loaded when first needed.

They are the extra ``ifeval`` of this library. Nothing is downloaded: the data of the sentence
splitter comes as a package. What they answer decides verdicts, so a change of one of them that
changes an answer raises the revision of the dialect.
"""

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import Any, Final

from rubricstudio.core.checkers.ifeval.word_lists import FRENCH_ABBREVIATIONS
from rubricstudio.core.types import Span

LONGEST_READ: Final = 100_000
"""The most characters that are cut into sentences or tokens; both take 30 µs a sentence."""

LONGEST_JOINED: Final = 10_000
"""The most characters of Japanese lines that are taken for one sentence."""

_SEED: Final = 0
"""The published detector draws lots; with this seed it meets every published verdict."""


class Unanswerable(Exception):
    """The text cannot be read as the published evaluator reads it; the message says why."""


def _load(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise Unanswerable(
            f"the package {name.partition('.')[0]} is missing; install rubricstudio[ifeval]"
        ) from None


def sentence_spans(text: str, language: str = "english") -> list[Span]:
    """Where the sentences stand that Punkt finds. Raises :class:`Unanswerable`."""
    refuse_long(text, "sentences")
    return [Span(start, end) for start, end in _punkt(language).span_tokenize(text)]


def tokens(text: str, sentences: Iterable[str]) -> list[str]:
    """The Treebank tokens of a text whose sentences are known. Raises :class:`Unanswerable`."""
    refuse_long(text, "words and marks")
    tokenizer = _treebank()
    return [token for sentence in sentences for token in tokenizer.tokenize(sentence)]


def japanese_sentence_count(text: str) -> int:
    """How many sentences the Japanese evaluator finds. Raises :class:`Unanswerable`."""
    refuse_long(text, "sentences")
    return sum(1 for _ in _japanese_segmenter()(text))


def detect_language(text: str) -> str | None:
    """The ISO 639-1 code of the language; ``None`` when no letter says anything."""
    detector = _language_factory().create()
    detector.append(text)
    try:
        return str(detector.detect())
    except _load("langdetect_rs").LangDetectException:
        return None


def is_emoji(text: str) -> bool:
    """Whether a text is one emoji."""
    return bool(_load("emoji").is_emoji(text))


def syllables(word: str) -> int:
    """How many syllables an English word has; 0 when that cannot be told."""
    return int(_load("syllapy").count(word))


def refuse_long(text: str, parts: str) -> None:
    """Raise :class:`Unanswerable` for a text that would take long to be cut into parts."""
    if len(text) > LONGEST_READ:
        raise Unanswerable(
            f"{len(text):,} characters are too many to be cut into {parts}; "
            f"at most {LONGEST_READ:,} are"
        )


@cache
def _punkt(language: str) -> Any:
    """NLTK's algorithm with the trained parameters that another package ships."""
    punkt = _load("nltk.tokenize.punkt")
    trained = _load("punkt").load_model(language)
    parameters = punkt.PunktParameters()
    parameters.abbrev_types.update(trained.abbrev_types)
    parameters.collocations.update(trained.collocations)
    parameters.sent_starters.update(trained.sent_starters)
    parameters.ortho_context.update(trained.ortho_context)
    if language == "french":
        parameters.abbrev_types.update(FRENCH_ABBREVIATIONS)
    return punkt.PunktSentenceTokenizer(parameters)


@cache
def _treebank() -> Any:
    return _load("nltk.tokenize.destructive").NLTKWordTokenizer()


@cache
def _language_factory() -> Any:
    # A factory of our own: the seed of the module's is everybody's.
    module = _load("langdetect_rs.detector_factory")
    factory = module.DetectorFactory()
    factory.load_profile(module.PROFILES_DIRECTORY)
    factory.set_seed(_SEED)
    return factory


@cache
def _japanese_segmenter() -> Callable[[str], Iterable[str]]:
    normalize = _load("ja_sentence_segmenter.normalize.neologd_normalizer").normalize
    split = _load("ja_sentence_segmenter.split.simple_splitter")
    concatenate = _load("ja_sentence_segmenter.concatenate.simple_concatenator")

    def segment(text: str) -> Iterable[str]:
        lines = split.split_newline(normalize(text))
        # A line that ends with の goes on in the next one.
        joined = concatenate.concatenate_matching(
            lines,
            former_matching_rule=r"^(?P<result>.+)(の)$",
            remove_former_matched=False,
            max_concatenate_length=LONGEST_JOINED,
        )
        sentences: Iterable[str] = split.split_punctuation(joined, punctuations="。!?")
        return sentences

    return segment
