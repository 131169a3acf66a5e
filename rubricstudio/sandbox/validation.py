"""Whether a generated checker may count: examples, mutants, two children with two hash seeds.

The examples come from whoever wrote the code, at least one that should pass and one that should
fail. The mutants are made of them by rule, and no verdict is expected of those: only that there is
one, soon, and the same one whatever order sets have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from rubricstudio.core.checkers.generated import Example, code_sha256
from rubricstudio.core.checkers.registry import compile_checker
from rubricstudio.core.checkers.segmentation import DocumentView
from rubricstudio.core.types import CheckCause, CheckResult, Constraint
from rubricstudio.sandbox.jail import INTERPRETER, Answer, Jail

SLOWEST: Final = 0.05
"""CPU seconds that a checker may take for one response of the validation set."""

SEEDS: Final = (1, 2)
LARGE: Final = 100_000
SENTENCE: Final = "And this is one more sentence."
CHINESE: Final = "这是一个用来检查的回答。\n\n它有两个段落，还有一些标点。"
SHOWN: Final = 80


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the validation log: what was tried, and what each of the two runs said."""

    name: str
    response: str
    expected: bool | None
    said: tuple[bool | None, ...]
    cpu_ms: float
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Validation:
    """What came of validating one source; it may count when there is no problem."""

    code_sha256: str
    interpreter: str
    rows: tuple[Row, ...]
    problems: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.problems

    def as_dict(self) -> dict[str, Any]:
        """The log as it is stored; responses are cut where they are long."""
        rows = [{**asdict(row), "response": row.response[:2000]} for row in self.rows]
        return {
            "passed": self.passed,
            "code_sha256": self.code_sha256,
            "interpreter": self.interpreter,
            "problems": list(self.problems),
            "rows": rows,
        }


def mutants(text: str) -> Iterator[tuple[str, str]]:
    """Names and texts: what a rule makes of a response, whatever it says."""
    paragraphs = [one for one in text.split("\n\n") if one.strip()]
    yield "without its last paragraph", "\n\n".join(paragraphs[:-1])
    yield "with one sentence more", f"{text.rstrip()} {SENTENCE}"
    yield "empty", ""
    yield "of 100 kB", (text + "\n\n") * (LARGE // (len(text) + 2) + 1)
    yield "in Chinese", CHINESE
    yield "with CRLF", text.replace("\n", "\r\n")


def validate(
    code: str,
    *,
    instruction: str,
    examples: Sequence[Example],
    native: Constraint | None = None,
) -> Validation:
    """Try a source in two jails. ``native`` is a constraint of a known type that says the same.

    Raises as :meth:`Jail.check` does; whatever is wrong with the source is a problem in words.
    """
    tried: list[tuple[str, str, bool | None]] = [
        ("example", one.response, one.expected) for one in examples
    ]
    first = examples[0].response if examples else SENTENCE
    tried += [(name, text, None) for name, text in mutants(first)]
    runs = [_run(code, instruction, [text for _, text, _ in tried], seed) for seed in SEEDS]
    rows = tuple(
        _row(name, text, expected, answers)
        for (name, text, expected), *answers in zip(tried, *runs, strict=True)
    )
    problems = [*_about_examples(examples), *(row.problem for row in rows if row.problem)]
    if not problems:
        problems += _about_verdicts(rows)
    if native is not None and not problems:
        problems += _differences(rows, native)
    return Validation(code_sha256(code), INTERPRETER, rows, tuple(dict.fromkeys(problems)))


def _run(code: str, instruction: str, texts: Sequence[str], seed: int) -> list[Answer]:
    jail = Jail(hash_seed=seed)
    try:
        return jail.check([code], instruction, texts)[0]
    finally:
        jail.close()


def _row(name: str, text: str, expected: bool | None, answers: Sequence[Answer]) -> Row:
    said = tuple(one.verdict for one in answers)
    seconds = max(one.cpu_seconds for one in answers)
    return Row(
        name,
        text,
        expected,
        said,
        round(seconds * 1000, 1),
        _problem(_named(name, text), expected, answers, seconds),
    )


def _problem(named: str, expected: bool | None, answers: Sequence[Answer], seconds: float) -> str:
    broken = next((one for one in answers if one.verdict is None), None)
    if broken is not None:
        if broken.cause is CheckCause.REFUSED:
            return broken.reason
        return f"for {named} it gave no verdict ({broken.cause.value}): {broken.reason}"
    said = {one.verdict for one in answers}
    if len(said) > 1:
        return f"for {named} it said yes in one run and no in another"
    if expected is not None and said != {expected}:
        return f"for {named} it said {_word(not expected)}, and {_word(expected)} was expected"
    if seconds > SLOWEST:
        return f"for {named} it took {seconds * 1000:.0f} ms, and {SLOWEST * 1000:.0f} are allowed"
    return ""


def _about_examples(examples: Sequence[Example]) -> Iterator[str]:
    for expected, kind in ((True, "passes"), (False, "fails")):
        if not any(one.expected is expected for one in examples):
            yield f"there is no example that {kind}; give at least one of each"


def _about_verdicts(rows: Sequence[Row]) -> Iterator[str]:
    if len({row.said[0] for row in rows}) == 1:
        yield f"it says {_word(bool(rows[0].said[0]))} to everything"


def _differences(rows: Sequence[Row], native: Constraint) -> Iterator[str]:
    """Where the checker of a known type says something else."""
    checker = compile_checker(native)
    for row in rows:
        outcome = checker.check(DocumentView(row.response))
        if outcome.result is CheckResult.UNAVAILABLE or not row.response.strip():
            continue
        passed = outcome.result is CheckResult.PASSED
        if row.said[0] is not passed:
            named = _named(row.name, row.response)
            yield (
                f"for {named} it said {_word(bool(row.said[0]))}, and the type {native.type} "
                f"says {_word(passed)}: {outcome.reason}"
            )


def _named(name: str, text: str) -> str:
    if name != "example":
        return f"the response {name}"
    line = " ".join(text[: SHOWN * 2].split())
    return f"the example “{line[:SHOWN]}{'…' if len(text) > SHOWN else ''}”"


def _word(verdict: bool) -> str:
    return "yes" if verdict else "no"
