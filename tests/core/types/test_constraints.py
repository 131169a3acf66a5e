import dataclasses

import pytest

from rubricstudio.core.errors import SpecError
from rubricstudio.core.types import IFEVAL, Constraint

PLAIN = Constraint("contain", {"phrases": ["tea"]}, {"case": "match"}, "mention tea")


def test_a_constraint_reads_back_from_its_dictionary():
    assert Constraint.from_dict(PLAIN.to_dict()) == PLAIN


@pytest.mark.parametrize(
    "change",
    [{"type": "not_contain"}, {"params": {}}, {"options": {}}, {"dialect": IFEVAL}],
)
def test_the_content_hash_changes_with_what_an_outcome_depends_on(change):
    assert dataclasses.replace(PLAIN, **change).content_hash() != PLAIN.content_hash()


def test_the_content_hash_does_not_depend_on_the_evidence():
    assert dataclasses.replace(PLAIN, evidence="").content_hash() == PLAIN.content_hash()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({}, "a constraint has no type"),
        ({"type": "contain", "dialect": "mine/1"}, "known are studio/1 and ifeval/1"),
        ({"type": "contain", "params": ["tea"]}, "the params of 'contain' are"),
        ({"type": "contain", "weight": 1}, "a constraint has no 'weight'"),
    ],
)
def test_what_is_no_constraint_is_refused_with_a_sentence(data, sentence):
    with pytest.raises(SpecError, match=sentence):
        Constraint.from_dict(data)


def test_a_constraint_does_not_change_with_the_mapping_it_was_made_from():
    params = {"phrases": ["tea"]}
    constraint = Constraint("contain", params)

    params["phrases"] = ["coffee"]

    assert constraint.params == {"phrases": ["tea"]}
