import json

import pytest

from rubricstudio.core.parsing import Reply, parse_rubric
from rubricstudio.core.types import Polarity, Scale, UnscoredReason

REFERENCE = "rubric:abc12345"
FIRST = {
    "id": "c1",
    "criterion": "It names the cause.",
    "weight": 5,
    "type": "content",
    "how_to_judge": {"yes": "named", "part": "hinted", "no": "absent"},
    "rationale": "The prompt asks why.",
}
SECOND = {"id": "c2", "criterion": "It is kind.", "weight": 1}


def written(*rows, **fields):
    content = json.dumps({"id": REFERENCE, "criteria": list(rows), **fields})
    return parse_rubric(Reply(content), reference=REFERENCE, at_most=3)


def test_rows_become_ternary_criteria_in_their_order():
    criteria = written(FIRST, SECOND).value.criteria

    assert [(one.key, one.weight, one.scale) for one in criteria] == [
        ("c1", 5.0, Scale.TERNARY),
        ("c2", 1.0, Scale.TERNARY),
    ]


def test_a_row_keeps_what_the_model_said_about_it():
    first = written(FIRST).value.criteria[0]

    assert first.anchors == {"yes": "named", "part": "hinted", "no": "absent"}
    assert (first.rationale, first.tags, first.polarity) == (
        "The prompt asks why.",
        ("content",),
        Polarity.POSITIVE,
    )


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], UnscoredReason.UNPARSABLE),
        ([{**FIRST, "weight": 6}], UnscoredReason.OFF_SCALE),
        ([{**FIRST, "weight": 0}], UnscoredReason.OFF_SCALE),
        ([{**FIRST, "weight": 2.5}], UnscoredReason.OFF_SCALE),
        ([{**FIRST, "weight": "5"}], UnscoredReason.UNPARSABLE),
        ([{**FIRST, "criterion": " "}], UnscoredReason.UNPARSABLE),
        ([{**FIRST, "id": ""}], UnscoredReason.UNPARSABLE),
        ([{**FIRST, "score": 1}], UnscoredReason.UNPARSABLE),
        ([{**FIRST, "how_to_judge": {"maybe": "x"}}], UnscoredReason.UNPARSABLE),
        ([{"id": "c1", "weight": 5}], UnscoredReason.UNPARSABLE),
        (["It names the cause."], UnscoredReason.UNPARSABLE),
        ([FIRST, {**SECOND, "id": "c1"}], UnscoredReason.AMBIGUOUS),
        (
            [FIRST, {**FIRST, "id": "c2", "criterion": "it names  THE cause."}],
            UnscoredReason.AMBIGUOUS,
        ),
        (
            [{**SECOND, "id": f"c{n}", "criterion": f"p{n}"} for n in range(4)],
            UnscoredReason.OFF_SCALE,
        ),
    ],
)
def test_a_rubric_with_one_bad_row_is_no_rubric(rows, reason):
    assert written(*rows).reason == reason


def test_criteria_that_are_no_list_are_unparsable():
    assert written(criteria="c1: It is kind.").reason == UnscoredReason.UNPARSABLE


def test_a_rubric_for_another_call_is_not_read():
    assert written(FIRST, id="rubric:00000000").reason == UnscoredReason.AMBIGUOUS
