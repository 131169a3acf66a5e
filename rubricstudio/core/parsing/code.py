"""The code that a model wrote for one requirement, with its examples. Nothing here runs it."""

from dataclasses import dataclass
from typing import Any

from rubricstudio.core.checkers.generated import Example
from rubricstudio.core.parsing.objects import read_object
from rubricstudio.core.parsing.reply import Parsed, Reply, Unusable
from rubricstudio.core.types import UnscoredReason


@dataclass(frozen=True, slots=True)
class CodeDraft:
    """A source and its examples; without a source the model says that no program can decide it."""

    code: str | None
    examples: tuple[Example, ...] = ()


def parse_code(reply: Reply, *, reference: str) -> Parsed[CodeDraft]:
    """Read ``{"code": text | null, "id", "tests": [{"expected", "response"}]}``."""
    try:
        found = read_object(reply, reference=reference, required=("code", "tests"))
        code, tests = found.fields["code"], found.fields["tests"]
        if code is None:
            return Parsed(CodeDraft(None), flags=found.flags)
        if not isinstance(code, str) or not code.strip():
            raise Unusable(UnscoredReason.UNPARSABLE, f"the code is {code!r:.60}, no source")
        if not isinstance(tests, list):
            raise Unusable(UnscoredReason.UNPARSABLE, f"the tests are {tests!r:.60}, no list")
        draft = CodeDraft(code, tuple(map(_example, tests)))
    except Unusable as problem:
        return problem.parsed()
    return Parsed(draft, flags=found.flags)


def _example(row: Any) -> Example:
    match row:
        case {"response": str(response), "expected": bool(expected)} if len(row) == 2:
            return Example(response, expected)
    raise Unusable(
        UnscoredReason.UNPARSABLE, f"the test {row!r:.80} is no response with true or false"
    )
