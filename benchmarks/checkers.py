"""The native checkers on one core: the mix of paper 000's Table 14 over responses of 3 kB.

    python -m benchmarks.checkers [--specs 500]

A spec has one, two or three constraints, 1.78 on average as in the paper, and eight responses; each
response is read once and asked about by the checkers of its spec. `every_type` asks about each
response once per type instead, so that more of them share the reading. The floor, measured in the
same run, is what nobody checks with less: `in`, `startswith` and `split` on the text as it is,
which tell no word from a part of one. One line of JSON per figure, in checks per second of CPU;
`p99_ms` is the time of one check, the first of a response paying for reading it. The figures of
the published instructions are explained in `_published`, those of the jail in `_jailed`.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from benchmarks import _jailed, _published
from rubricstudio.core.checkers import Checklist, DocumentView
from rubricstudio.core.types import Constraint

CHARACTERS: Final = 3000
ROLLOUTS: Final = 8
REPEATS: Final = 5
HOW_MANY: Final = {1: 0.45, 2: 0.32, 3: 0.23}
TABLE_14: Final = {
    "contain": 2797,
    "paragraph_count": 1954,
    "begin_with": 1604,
    "not_contain": 718,
    "word_count": 657,
    "nth_paragraph_begin_with": 399,
    "end_with": 260,
    "nth_paragraph_contain": 216,
    "sentence_count": 181,
    "line_count": 81,
    "nth_paragraph_end_with": 20,
}
SYLLABLES: Final = [
    onset + vowel + coda
    for onset in ("b", "ch", "d", "f", "gr", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v")
    for vowel in "aeiou"
    for coda in ("", "", "l", "n", "r", "s")
]
OPENINGS: Final = ("Certainly", "Dear reader,", "Here is", "In short,", "Yes")


class Case(NamedTuple):
    """The constraints of one spec and the responses to its prompt."""

    constraints: list[Constraint]
    responses: list[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--specs", type=int, default=500)
    options = parser.parse_args()
    measure("checkers.registry", make_cases(options.specs, as_in_table_14))
    measure("checkers.every_type", make_cases(options.specs // 4, lambda _: list(TABLE_14)))
    words, often = vocabulary(random.Random(14))
    _published.measure(
        report,
        lambda chance: [response(chance, words, often) for _ in range(ROLLOUTS)],
        seconds_of,
        prompts=options.specs // 10,
    )
    _jailed.measure(report)


def measure(figure: str, cases: Sequence[Case]) -> None:
    checks = sum(len(case.constraints) * len(case.responses) for case in cases)
    floors = [[_NAIVE[one.type](one.params) for one in case.constraints] for case in cases]
    checklists = [Checklist(case.constraints) for case in cases]
    floor = seconds(lambda: check_naively(cases, floors))
    ours = seconds(lambda: check(cases, checklists))
    report(
        figure,
        per_s_core=checks / ours,
        p99_ms=slowest(cases) * 1000,
        floor_per_s_core=checks / floor,
        cpu_in_floors=ours / floor,
    )


def seconds_of(checklists: list[Checklist], texts: list[Sequence[str]]) -> float:
    """CPU seconds of checking some responses with each checklist."""

    def work() -> None:
        for checklist, some in zip(checklists, texts, strict=True):
            for text in some:
                checklist.check(DocumentView(text))

    return seconds(work)


def report(figure: str, **values: float) -> None:
    rounded = {key: round(value, 3) for key, value in values.items()}
    print(json.dumps({"figure": figure, **rounded}), flush=True)


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds of the work, the best of some tries, for another process may take the caches."""
    work()
    taken = []
    for _ in range(REPEATS):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken)


def check(cases: Sequence[Case], checklists: Sequence[Checklist]) -> None:
    for case, checklist in zip(cases, checklists, strict=True):
        for response in case.responses:
            checklist.check(DocumentView(response))


def check_naively(cases: Sequence[Case], floors: Sequence[list[Callable[[str], bool]]]) -> None:
    for case, functions in zip(cases, floors, strict=True):
        for response in case.responses:
            for function in functions:
                function(response)


def slowest(cases: Sequence[Case]) -> float:
    """The 99th percentile of the seconds that one check takes."""
    taken = []
    for case in cases:
        parts = [Checklist([one]) for one in case.constraints]
        for response in case.responses:
            started = time.perf_counter()
            view = DocumentView(response)
            for part in parts:
                part.check(view)
                ended = time.perf_counter()
                taken.append(ended - started)
                started = ended
    return sorted(taken)[int(len(taken) * 0.99)]


def as_in_table_14(chance: random.Random) -> list[str]:
    (count,) = chance.choices(list(HOW_MANY), list(HOW_MANY.values()))
    return chance.choices(list(TABLE_14), list(TABLE_14.values()), k=count)


def make_cases(specs: int, choose: Callable[[random.Random], list[str]]) -> list[Case]:
    chance = random.Random(14)
    words, often = vocabulary(chance)
    # What a prompt asks to name, or not to, are words with a meaning, and those are longer.
    names = [word for word in words if len(word) > 4]
    cases = []
    for _ in range(specs):
        spec = [Constraint(kind, _PARAMS[kind](chance, names)) for kind in choose(chance)]
        cases.append(Case(spec, [response(chance, words, often) for _ in range(ROLLOUTS)]))
    return cases


def vocabulary(chance: random.Random) -> tuple[list[str], list[float]]:
    """Invented words, and how often each is used."""
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 3))) for _ in range(4000)]
    return words, [1 / (rank + 3) for rank in range(len(words))]


def response(chance: random.Random, words: Sequence[str], often: Sequence[float]) -> str:
    """Paragraphs, lists, headings and code, half of the texts with the signs of typographers."""
    stock = chance.choices(words, often, k=CHARACTERS // 4)
    blocks, at, size = [chance.choice(OPENINGS)], 0, 0
    while size < CHARACTERS:
        make = chance.choice(_BLOCKS)
        block = make([stock[(at + place) % len(stock)] for place in range(60)])
        at += 60
        blocks.append(block)
        size += len(block) + 2
    text = "\n\n".join(blocks)[:CHARACTERS]
    if chance.random() < 0.5:
        text = text.replace("as ", "a’s ").replace(", ", " — ", 8)
    return text


def prose(words: Sequence[str]) -> str:
    sentences = [" ".join(words[at : at + 12]).capitalize() for at in range(0, len(words), 12)]
    return ". ".join(sentences).replace("a ", "a, ") + "."


def bullets(words: Sequence[str]) -> str:
    return "\n".join(f"- **{words[at]}**: {' '.join(words[at : at + 8])}" for at in range(0, 48, 8))


def headed(words: Sequence[str]) -> str:
    return f"## {words[0].title()} {words[1]}\n\n{prose(words)}"


def code(words: Sequence[str]) -> str:
    return "```python\n" + "\n".join(f"{word} = {len(word)}" for word in words[:8]) + "\n```"


_BLOCKS: Final = (prose, prose, prose, bullets, headed, code)


def _phrases(chance: random.Random, words: Sequence[str]) -> dict[str, Any]:
    return {"phrases": chance.sample(words, chance.randint(1, 3))}


def _opening(chance: random.Random, _: Sequence[str]) -> dict[str, Any]:
    return {"text": chance.choice(OPENINGS)}


def _ending(chance: random.Random, words: Sequence[str]) -> dict[str, Any]:
    return {"text": chance.choice(words) + "."}


def _count(chance: random.Random, _: Sequence[str]) -> dict[str, Any]:
    return {"op": chance.choice(("le", "ge", "eq")), "value": chance.randint(3, 400)}


def _nth(chance: random.Random, words: Sequence[str]) -> dict[str, Any]:
    return {"n": chance.randint(1, 4), "text": chance.choice(words)}


_PARAMS: Final[dict[str, Callable[[random.Random, Sequence[str]], dict[str, Any]]]] = {
    "contain": _phrases,
    "paragraph_count": _count,
    "begin_with": _opening,
    "not_contain": _phrases,
    "word_count": _count,
    "nth_paragraph_begin_with": _nth,
    "end_with": _ending,
    "nth_paragraph_contain": _nth,
    "sentence_count": _count,
    "line_count": _count,
    "nth_paragraph_end_with": _nth,
}


def _naive_contain(params: Any) -> Callable[[str], bool]:
    phrases = [one.lower() for one in params["phrases"]]

    def naive(text: str) -> bool:
        low = text.lower()
        return all(phrase in low for phrase in phrases)

    return naive


def _naive_count(sign: str | None) -> Callable[[Any], Callable[[str], bool]]:
    return lambda params: lambda text: len(text.split(sign)) <= params["value"]


def _naive_nth(params: Any) -> Callable[[str], bool]:
    number, phrase = params["n"], params["text"].lower()

    def naive(text: str) -> bool:
        paragraphs = text.split("\n\n")
        return number <= len(paragraphs) and phrase in paragraphs[number - 1].lower()

    return naive


_NAIVE: Final[dict[str, Callable[[Any], Callable[[str], bool]]]] = {
    "contain": _naive_contain,
    "paragraph_count": _naive_count("\n\n"),
    "begin_with": lambda params: lambda text: text.startswith(params["text"]),
    "not_contain": _naive_contain,
    "word_count": _naive_count(None),
    "nth_paragraph_begin_with": _naive_nth,
    "end_with": lambda params: lambda text: text.endswith(params["text"]),
    "nth_paragraph_contain": _naive_nth,
    "sentence_count": _naive_count(". "),
    "line_count": _naive_count("\n"),
    "nth_paragraph_end_with": _naive_nth,
}

if __name__ == "__main__":
    main()
