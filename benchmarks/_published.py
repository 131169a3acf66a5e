"""The published instructions: those of IFEval and of IFBench over the same responses of 3 kB.

A prompt has one, two or three instructions, 1.57 on average as in IFEval, drawn from all with equal
chances. Some read with libraries (a sentence splitter, a tokenizer, a language detector), which
is most of what the rest costs; the loose reading tries up to seven more texts where one fails.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Final

from rubricstudio.core.checkers import Checklist, normalised
from rubricstudio.core.checkers.ifeval import BENCH_TYPES, INSTRUCTIONS
from rubricstudio.core.checkers.params import Kind, Param
from rubricstudio.core.types import IFEVAL, Constraint

HOW_MANY: Final = {1: 0.57, 2: 0.29, 3: 0.14}

Report = Callable[..., None]
Responses = Callable[[random.Random], Sequence[str]]
Take = Callable[[list[Checklist], list[Sequence[str]]], float]
"""CPU seconds of checking the responses of some prompts, each by its checklist."""


def measure(report: Report, responses: Responses, take: Take, *, prompts: int) -> None:
    for name, types in (("ifeval", INSTRUCTIONS), ("ifbench", BENCH_TYPES)):
        for loose in (False, True):
            chance = random.Random(25)
            checklists, texts, checks = [], [], 0
            for _ in range(prompts):
                (count,) = chance.choices(list(HOW_MANY), list(HOW_MANY.values()))
                asked = chance.choices(types, k=count)
                constraints = [
                    Constraint(
                        one.name,
                        {key: _value(chance, key, param) for key, param in one.params.items()},
                        {"loose": loose},
                        dialect=IFEVAL,
                    )
                    for one in asked
                ]
                # One that is refused would cost nothing.
                checklists.append(Checklist(map(normalised, constraints)))
                texts.append(responses(chance))
                checks += count * len(texts[-1])
            figure = f"checkers.{name}_loose" if loose else f"checkers.{name}"
            report(figure, per_s_core=checks / take(checklists, texts))


def _value(chance: random.Random, name: str, param: Param) -> Any:
    """An argument as a prompt might state it."""
    if param.kind is Kind.CHOICE:
        return chance.choice(param.choices)
    if param.kind is Kind.TEXTS:
        return ["bela", "tomo"]
    if param.kind is Kind.TEXT:
        return {"letter": "e", "language": "en"}.get(name, "mela")
    # A greatest number, an end or a number of paragraphs goes with the smaller one beside it.
    return 400 if name in ("max_words", "n_end", "num_paragraphs") else chance.randint(1, 20)
