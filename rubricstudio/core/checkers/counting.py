"""Constraints on a number of words, sentences, paragraphs or lines."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from rubricstudio.core.checkers.answers import Answer, Check, Values, counted
from rubricstudio.core.checkers.params import Kind, Param
from rubricstudio.core.checkers.segmentation import DocumentView, ParagraphRule, Part, TextView
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import Json, Span

OPERATORS: Final = ("eq", "ne", "lt", "le", "gt", "ge", "between", "approx")

TOLERANCE: Final = 0.1

MOST_SPANS: Final = 50
"""So many matches are shown in the text at most."""

BOUND_PARAMS: Final[Mapping[str, Param]] = {
    "op": Param(
        Kind.CHOICE,
        "how the count is compared: eq, ne, lt, le, gt, ge, between (both ends count) or approx",
        required=True,
        choices=OPERATORS,
    ),
    "value": Param(Kind.COUNT, "the number asked for; the lower one of between", required=True),
    "high": Param(Kind.COUNT, "the upper number of between"),
    "tolerance": Param(
        Kind.SHARE, f"how far approx may be off, as a share of the number ({TOLERANCE} if not said)"
    ),
}

_ASKED: Final = {
    "eq": "exactly {0:,} asked",
    "ne": "any number but {0:,} asked",
    "lt": "fewer than {0:,} asked",
    "le": "at most {0:,} asked",
    "gt": "more than {0:,} asked",
    "ge": "at least {0:,} asked",
    "between": "{0:,} to {1:,} asked",
    "approx": "about {0:,} asked ({2:,} to {3:,})",
}


@dataclass(frozen=True, slots=True)
class Bound:
    """The numbers that are allowed: ``low`` to ``high``, both included, ``None`` being open.

    ``but`` is a single number that is not allowed.
    """

    low: int | None
    high: int | None
    asked: str
    but: int | None = None

    def holds(self, number: int) -> bool:
        """Whether the number is allowed."""
        above = self.low is None or number >= self.low
        return above and (self.high is None or number <= self.high) and number != self.but


def settle_bound(params: Values) -> dict[str, Json]:
    """Parameters that agree with each other, the tolerance of approx written out.

    Raises :class:`ConstraintError` where they contradict each other.
    """
    operator, value, high = params["op"], params["value"], params["high"]
    if (operator == "between") != (high is not None):
        raise ConstraintError("a high number goes with the operator between, and only with it")
    if operator == "between" and high < value:
        raise ConstraintError(f"between {value} and {high} nothing lies; put the smaller one first")
    if operator == "lt" and value == 0:
        raise ConstraintError("fewer than 0 cannot be; ask for at most 0 or for another number")
    if operator != "approx" and params["tolerance"] is not None:
        raise ConstraintError("a tolerance goes with the operator approx, and only with it")
    if operator == "approx" and params["tolerance"] is None:
        return {**params, "tolerance": TOLERANCE}
    return dict(params)


def read_bound(params: Values) -> Bound:
    """The bound that settled parameters state."""
    operator, value, high = params["op"], params["value"], params["high"]
    low, top = _limits(operator, value, high, params["tolerance"] or 0.0)
    asked = _ASKED[operator].format(value, high, low, top)
    return Bound(low, top, asked, but=value if operator == "ne" else None)


def _limits(
    operator: str, value: int, high: int | None, tolerance: float
) -> tuple[int | None, int | None]:
    # A count is whole, so the tolerated range ends at the whole numbers inside it.
    margin = int(tolerance * value + 1e-9)
    limits: Mapping[str, tuple[int | None, int | None]] = {
        "eq": (value, value),
        "ne": (None, None),
        "lt": (None, value - 1),
        "le": (None, value),
        "gt": (value + 1, None),
        "ge": (value, None),
        "between": (value, high),
        "approx": (value - margin, value + margin),
    }
    return limits[operator]


SCOPE: Final = Param(
    Kind.CHOICE,
    "which part counts: whole, outside_code, or prose (without code, web and mail addresses)",
    default=Part.WHOLE.value,
    choices=tuple(part.value for part in Part),
)

MARKDOWN: Final = Param(
    Kind.CHOICE,
    "raw takes the text as written, rendered as a reader of Markdown sees it",
    default="raw",
    choices=("raw", "rendered"),
)

CJK: Final = Param(
    Kind.CHOICE,
    "whether each Han character or kana is a word, or each run of them",
    default="characters",
    choices=("characters", "runs"),
)

DIVIDER: Final = Param(Kind.DIVIDER, "what stands between paragraphs, if the prompt names it")

PARAGRAPH_OPTIONS: Final[Mapping[str, Param]] = {
    "headings": Param(Kind.FLAG, "whether headings count as paragraphs", default=False),
    "list_items": Param(Kind.FLAG, "whether each list item counts as a paragraph", default=False),
}


def selector(options: Values) -> Callable[[DocumentView], TextView]:
    """What takes the part out of a response that the options ask to look at."""
    part = Part(options.get("scope", Part.WHOLE))
    rendered = options.get("markdown") == "rendered"
    if part is Part.WHOLE and not rendered:
        return _WHOLE
    return lambda view: view.part(part).rendered if rendered else view.part(part)


_WHOLE: Final = attrgetter("whole")


def paragraph_rule(params: Values, options: Values) -> ParagraphRule:
    """What counts as a paragraph under a constraint."""
    return ParagraphRule(params["divider"] or "", options["headings"], options["list_items"])


def word_count(params: Values, options: Values) -> Check:
    """The words of the response."""
    select, runs = selector(options), options["cjk"] == "runs"

    def count(view: DocumentView) -> int:
        text = select(view)
        return text.run_count if runs else text.word_count

    return count_check("word", params, count)


def line_count(params: Values, options: Values) -> Check:
    """The lines of the response, without blank ones unless asked."""
    select, blank = selector(options), options["blank_lines"]

    def count(view: DocumentView) -> int:
        text = select(view)
        return len(text.lines) if blank else text.line_count

    return count_check("line", params, count)


def paragraph_count(params: Values, options: Values) -> Check:
    """The paragraphs of the response."""
    select, rule = selector(options), paragraph_rule(params, options)
    return count_check("paragraph", params, lambda view: select(view).paragraph_count(rule))


def sentence_count(params: Values, options: Values) -> Check:
    """The sentences of the response; no answer when it is nothing but code and tables."""
    select = selector(options)

    def count(view: DocumentView) -> int | None:
        sentences = select(view).sentences
        return None if sentences is None else len(sentences)

    return count_check("sentence", params, count)


def count_check(noun: str, params: Values, count: Callable[[DocumentView], int | None]) -> Check:
    """A check of a number; what gives ``None`` cannot be counted in code and tables."""
    bound = read_bound(params)

    def check(view: DocumentView) -> Answer:
        number = count(view)
        if number is None:
            return Answer(None, f"nothing but code and tables, so no {noun}s can be counted")
        return Answer(bound.holds(number), f"{counted(number, noun)}, {bound.asked}")

    return check


def span_check(noun: str, params: Values, find: Callable[[DocumentView], list[Span]]) -> Check:
    """A check of how many things are found, which shows the first of them where they stand."""
    bound = read_bound(params)

    def check(view: DocumentView) -> Answer:
        found = find(view)
        reason = f"{counted(len(found), noun)}, {bound.asked}"
        return Answer(bound.holds(len(found)), reason, tuple(found[:MOST_SPANS]))

    return check
