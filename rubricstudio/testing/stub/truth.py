"""The planted truth: what the stub answers, as functions that a test can call as well."""

import hashlib
import re
from collections.abc import Sequence
from typing import Final

FENCED: Final = re.compile(r"<<DATA:([0-9a-f]+):(\w+)>>\n(.*?)\n<<END:\1>>", re.DOTALL)
COUNTED: Final = re.compile(
    r"\b(at least|at most|exactly)\s+(\d+)\s+(word|sentence|paragraph|line)s?\b", re.IGNORECASE
)
OPERATORS: Final = {"at least": "ge", "at most": "le", "exactly": "eq"}


def blocks_of(text: str) -> dict[str, str]:
    """The fenced blocks of data in a request, by name."""
    return {name: data for _, name, data in FENCED.findall(text)}


def share(*parts: str) -> float:
    """A number in [0, 1) that depends on the parts alone, alike on every machine."""
    told = "\x1f".join(parts).encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(told, digest_size=8).digest(), "big") / 2**64


def planted_answer(answers: Sequence[str], *parts: str) -> str:
    """One of the answers, each as likely as the others over many different parts."""
    return answers[int(share(*parts) * len(answers))]


def planted_verdict(response: str, criterion: str, answers: Sequence[str]) -> str:
    """The verdict about one criterion of one response. It does not depend on the prompt.

    ``criterion`` is the text of its data block, anchors included.
    """
    return planted_answer(answers, "verdict", response, criterion)


def planted_score(response: str) -> float:
    """The global score of a response: 0 to 10 in halves."""
    return int(share("global", response) * 21) / 2


def planted_label(prompt: str, labels: Sequence[str]) -> str:
    """The task label of a prompt."""
    return planted_answer(labels, "label", prompt)


def planted_constraints(prompt: str) -> list[dict[str, object]]:
    """The counts that a prompt asks for in plain words, such as "at least 300 words"."""
    return [
        {
            "type": f"{match[3].lower()}_count",
            "source_quote": match[0],
            "strictness": "hard",
            "params": {"op": OPERATORS[match[1].lower()], "value": int(match[2])},
        }
        for match in COUNTED.finditer(prompt)
    ]


def planted_criteria(prompt: str, most: int) -> list[dict[str, object]]:
    """A rubric for a prompt: three to six criteria with weights 1 to 5 (fewer if asked)."""
    count = min(most, 3 + int(share("count", prompt) * 4))
    topic = " ".join(prompt.split()[:6]) or "nothing"
    return [
        {
            "id": f"c{place}",
            "criterion": f"The response covers point {place} of: {topic}",
            "weight": 1 + int(share("weight", str(place), prompt) * 5),
            "type": "content",
            "how_to_judge": {"yes": "covered", "part": "touched", "no": "absent"},
            "rationale": f"Point {place} is asked for.",
        }
        for place in range(1, count + 1)
    ]
