"""The texts of the demo project as they stand in its files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rubricstudio.core.parsing.verdicts import score_of
from rubricstudio.core.types import (
    Constraint,
    Criterion,
    FailureCause,
    UnscoredReason,
    Verdict,
)

FOLDER: Final = Path(__file__).parent / "data"
FILES: Final = ("instructions", "writing", "decisions", "grounded", "conversations")
POLICIES: Final = {
    "careful": "careful, by hand",
    "brisk": "brisk, by hand",
    "wordy": "wordy, by hand",
    "careless": "careless, by hand",
}
"""Four invented policies, each with a manner of its own."""

GLOBAL: Final = "GLOBAL"
UNSCORED, FAILED = "unscored:", "failed:"


@dataclass(frozen=True, slots=True)
class Said:
    """What the author says of one cell: an answer, or why there is none, and the evidence."""

    answer: str
    evidence: str

    def about(self, criterion: Criterion | None) -> Verdict:
        """The verdict on a criterion; None is the global score."""
        if self.answer.startswith(UNSCORED):
            return Verdict.unscored(UnscoredReason(self.answer.removeprefix(UNSCORED)))
        if self.answer.startswith(FAILED):
            return Verdict.failed(FailureCause(self.answer.removeprefix(FAILED)))
        if criterion is None:
            return Verdict.scored(self.answer, float(self.answer))
        return Verdict.scored(self.answer, score_of(criterion, self.answer))


@dataclass(frozen=True, slots=True)
class Response:
    """One response with what is said of it, by criterion key; GLOBAL is the global score."""

    text: str
    said: Mapping[str, Said]


@dataclass(frozen=True, slots=True)
class Task:
    """A prompt of the demo with its spec and the responses to it, by policy.

    `state` is how far its spec is: draft, in_review or approved. `edited` holds the texts that
    criteria had before they were edited, and why they were.
    """

    id: str
    row: Mapping[str, Any]
    label: str
    criteria: tuple[Criterion, ...]
    constraints: tuple[Constraint, ...]
    state: str
    responses: Mapping[str, Response]
    edited: Mapping[str, Any]

    def rollout_rows(self) -> Iterator[dict[str, Any]]:
        """Its responses as rows of a file of rollouts."""
        for policy, response in self.responses.items():
            yield {
                "prompt_id": self.id,
                "rollout_id": f"{self.id}/{policy}",
                "policy": POLICIES[policy],
                "response": response.text,
            }


def read_tasks() -> list[Task]:
    """All tasks, in the order of the files."""
    return [_task(data) for name in FILES for data in _load(name)]


def read_gaps() -> dict[str, Any]:
    """What the first, partly failed run is about, and which of its cells have no score."""
    gaps: dict[str, Any] = _load("first_run")
    return gaps


def _load(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


def _task(data: Mapping[str, Any]) -> Task:
    row = {name: data[name] for name in ("id", "prompt", "domain", "tags", "language", "passages")}
    if not isinstance(data["prompt"], str):
        row["messages"] = row.pop("prompt")
    return Task(
        id=data["id"],
        row={**row, "split": data["split"]},
        label=data["label"],
        criteria=tuple(map(Criterion.from_dict, data["criteria"])),
        constraints=tuple(map(Constraint.from_dict, data["constraints"])),
        state=data["state"],
        responses={name: _response(one) for name, one in data["responses"].items()},
        edited=data.get("edited", {}),
    )


def _response(data: Mapping[str, Any]) -> Response:
    said = {**data["verdicts"], GLOBAL: data["global"]}
    return Response(
        text=data["text"],
        said={key: Said(str(answer), evidence) for key, (answer, evidence) in said.items()},
    )
