"""Generated checkers over document views: the same in the application, a trainer and a bundle.

What a checker is given is the response as the other checkers count it: without reasoning and outer
blank lines, with LF and NFC. An empty response fails every checker, code and data alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rubricstudio.core.checkers.generated import HARD
from rubricstudio.core.checkers.segmentation import DocumentView
from rubricstudio.core.types import CheckCause, CheckOutcome, CheckResult
from rubricstudio.sandbox.jail import Answer, Jail

EMPTY: Final = CheckOutcome(CheckResult.FAILED, CheckCause.OK, "the response is empty")


def check_generated(
    jail: Jail, codes: Sequence[str], instruction: str, views: Sequence[DocumentView]
) -> list[list[CheckOutcome]]:
    """One list of outcomes per checker, in the order of the views.

    A checker that ran out of time or memory, or crashed, is asked once more, for a busy machine
    can be the reason. Raises as :meth:`Jail.check` does.
    """
    at = [number for number, view in enumerate(views) if not view.empty]
    texts = [views[number].text for number in at]
    rows = jail.check(codes, instruction, texts) if codes and texts else [[] for _ in codes]
    found = []
    for code, answers in zip(codes, rows, strict=True):
        outcomes = [EMPTY] * len(views)
        for number, answer in zip(
            at, _second_try(jail, code, instruction, texts, answers), strict=True
        ):
            outcomes[number] = answer.as_outcome()
        found.append(outcomes)
    return found


def _second_try(
    jail: Jail, code: str, instruction: str, texts: Sequence[str], answers: list[Answer]
) -> list[Answer]:
    again = [number for number, answer in enumerate(answers) if answer.cause in HARD]
    if not again:
        return answers
    (second,) = jail.check([code], instruction, [texts[number] for number in again])
    better = dict(zip(again, second, strict=True))
    return [better.get(number, answer) for number, answer in enumerate(answers)]
