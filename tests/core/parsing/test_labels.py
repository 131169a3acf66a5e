import json

import pytest

from rubricstudio.core.parsing import Reply, parse_label
from rubricstudio.core.types import UnscoredReason

LABELS = ("coding", "math_reasoning", "general")


def labelled(**fields):
    content = json.dumps({"id": "label:abc12345", "confidence": 0.9, "label": "coding", **fields})
    return parse_label(Reply(content), labels=LABELS, reference="label:abc12345")


def test_a_sure_label_counts():
    value = labelled(secondary="math_reasoning").value

    assert (value.label, value.confidence, value.secondary) == ("coding", 0.9, "math_reasoning")


def test_an_unsure_label_falls_back_to_general_and_is_flagged():
    parsed = labelled(confidence=0.59)

    assert (parsed.value.label, parsed.value.said) == ("general", "coding")
    assert parsed.flags == ("low_confidence",)


def test_the_bound_itself_is_sure_enough():
    assert labelled(confidence=0.6).value.label == "coding"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"label": "poetry"}, UnscoredReason.OFF_SCALE),
        ({"secondary": "poetry"}, UnscoredReason.OFF_SCALE),
        ({"confidence": 90}, UnscoredReason.OFF_SCALE),
        ({"confidence": -0.1}, UnscoredReason.OFF_SCALE),
        ({"confidence": "high"}, UnscoredReason.UNPARSABLE),
        ({"confidence": True}, UnscoredReason.UNPARSABLE),
        ({"label": ["coding"]}, UnscoredReason.UNPARSABLE),
        ({"id": "label:00000000"}, UnscoredReason.AMBIGUOUS),
    ],
)
def test_a_label_outside_what_was_asked_is_none(fields, reason):
    assert labelled(**fields).reason == reason
