import dataclasses
import hashlib
import json

import pytest

from rubricstudio.core.errors import SpecError
from rubricstudio.core.types import Constraint, Criterion, Message, Role, SpecValue

SPEC = SpecValue(
    "p1",
    (Message(Role.USER, "Explain the tides in “plain” words."),),
    (Criterion("cause", "Names the Moon.", 3),),
    (Constraint("word_count", {"op": "le", "value": 100}),),
    label="qa_explanation",
)


def test_a_spec_reads_back_from_its_line():
    assert SpecValue.from_dict(json.loads(SPEC.line())) == SPEC


def test_the_spec_id_is_the_sha256_of_the_line():
    assert SPEC.spec_id() == hashlib.sha256(SPEC.line()).hexdigest()


def test_a_line_is_what_any_json_writer_makes_of_sorted_keys():
    data = json.loads(SPEC.line())

    written = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert written.encode() == SPEC.line()


def test_every_change_of_content_makes_another_spec():
    heavier = dataclasses.replace(SPEC, criteria=(Criterion("cause", "Names the Moon.", 2),))

    assert heavier.spec_id() != SPEC.spec_id()


def test_a_spec_scores_with_criteria_or_with_constraints():
    assert dataclasses.replace(SPEC, criteria=()).scores
    assert not dataclasses.replace(SPEC, criteria=(), constraints=()).scores


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"prompt_id": ""}, "needs the id of its prompt"),
        ({"prompt": []}, "the prompt 'p1' has no messages"),
        ({"dialect": "mine/1"}, "unknown dialect 'mine/1'"),
        ({"criteria": SPEC.criteria * 2}, "2 criteria with the key 'cause'"),
    ],
)
def test_a_spec_that_contradicts_itself_is_refused_with_a_sentence(changes, sentence):
    with pytest.raises(SpecError, match=sentence):
        dataclasses.replace(SPEC, **changes)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"prompt_sha256": "0" * 64}, "is not the one its hash names"),
        ({"id": "x"}, "a spec has no 'id'"),
    ],
)
def test_a_line_that_was_changed_by_hand_is_refused(changes, sentence):
    with pytest.raises(SpecError, match=sentence):
        SpecValue.from_dict({**SPEC.to_dict(), **changes})
