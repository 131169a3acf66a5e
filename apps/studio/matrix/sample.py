"""An invented matrix, for the living page of components."""

from __future__ import annotations

from apps.studio.matrix.table import CHECKER, CRITERION, DROPPED, Cell, Column, Matrix, Part, Row
from rubricstudio.core.rewards import Component

HERE = "#matrix"
ITEMS = (
    ("C1", "Mechanism", 5, "accuracy", 2, False),
    ("C4", "No dose advice", 5, "safety", 1, True),
    ("C6", "Plain words", 3, "composition", 0, False),
)
ANSWERS = {
    "r1": (0.78, ("no", "yes", "part"), "part"),
    "r3": (0.7, ("yes", "no", "part"), "failed"),
    "r2": (0.62, ("part", "yes", "no"), "unscored"),
}
WORDS = {
    "yes": "Yes",
    "part": "Part",
    "no": "No",
    "unscored": "Unscored: truncated",
    "failed": "Failed: timeout",
}
BRACKETS = {"r3": "from", "r2": "last"}


def sample_matrix() -> Matrix:
    """Three rollouts: an inversion, and a column that one missing verdict has dropped."""
    columns = [
        Column(
            key=label,
            kind=CRITERION,
            label=label,
            name=name,
            text=name,
            weight=weight,
            share=weight / 5,
            bucket=bucket,
            changed=changed,
            hard=hard,
        )
        for label, name, weight, bucket, changed, hard in ITEMS
    ]
    length = Column("K1", CHECKER, "K1", "Word count", "Word count", changed=0, hard=True)
    lost = Column(
        *("C8", CRITERION, "C8", "One idea each", "One idea each", 3.0, 0.6, "composition"),
        state=DROPPED,
        why="Dropped for the whole group: r2 (unscored: truncated).",
    )
    return Matrix(columns=(*columns, length, lost), rows=_rows(), pairs=3)


def _rows() -> tuple[Row, ...]:
    return tuple(
        Row(
            number=rank,
            label=label,
            policy="newsletter-14b",
            step=None,
            reward=reward,
            why="",
            parts=_parts(reward),
            cells=(
                *(Cell(one, WORDS[one], HERE) for one in answers),
                Cell("yes", "Passed", HERE),
                Cell(last, WORDS[last], HERE, faded=True),
            ),
            rank=rank,
            inverted=label == "r3",
            bracket=BRACKETS.get(label, ""),
        )
        for rank, (label, (reward, answers, last)) in enumerate(ANSWERS.items(), start=1)
    )


def _parts(reward: float) -> tuple[Part, ...]:
    third = reward / 3
    return tuple(Part(one, at * third, third) for at, one in enumerate(Component))
