"""What a model said, and the value or the reason that came of it."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from rubricstudio.core.parsing.thinking import has_thinking, strip_thinking
from rubricstudio.core.types import UnscoredReason

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reply:
    """One choice of a chat completion, as the server sent it.

    ``reasoning`` is what the server's own parser took for thinking; it is kept and never read.
    ``probabilities`` are those of the allowed answers, summing to 1, where the server gave them.
    """

    content: str | None
    reasoning: str | None = None
    finish_reason: str | None = "stop"
    refusal: str | None = None
    probabilities: tuple[tuple[str, float], ...] | None = None


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T]):
    """A value, or the reason why there is none with a sentence about it.

    ``flags`` say what a reader should know about a usable value: ``no_evidence``, ``coerced``,
    ``prose_around``, ``low_confidence``.
    """

    value: T | None = None
    reason: UnscoredReason | None = None
    detail: str = ""
    flags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise ValueError("a parsed answer has a value or a reason, one of the two")


class Unusable(Exception):
    """Raised inside the parsers to leave with a reason; never crosses the package."""

    def __init__(self, reason: UnscoredReason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail

    def parsed(self) -> "Parsed[T]":
        return Parsed(reason=self.reason, detail=self.detail)


def final_content(reply: Reply) -> str:
    """The content of a reply that ended by itself and was not refused.

    Raises :class:`Unusable` otherwise. A cut answer is truncated even where it looks whole: its
    verdict may be one that thinking never got to revise.
    """
    if reply.refusal:
        raise Unusable(UnscoredReason.REFUSED, f"the model refused: {reply.refusal:.200}")
    if reply.finish_reason == "content_filter":
        raise Unusable(UnscoredReason.CONTENT_FILTER, "the server's content filter cut the answer")
    if reply.finish_reason == "length":
        raise Unusable(UnscoredReason.TRUNCATED, "the answer was cut at the limit of tokens")
    content = reply.content or ""
    if not strip_thinking(content) and (has_thinking(content) or reply.reasoning):
        raise Unusable(UnscoredReason.THINKING_ONLY, "the model thought and gave no answer")
    if not content.strip():
        raise Unusable(UnscoredReason.EMPTY, "the answer is empty")
    return content
