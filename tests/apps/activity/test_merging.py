"""Two people at the same fields: only what both changed is a conflict."""

import pytest

from apps.activity.errors import Conflict
from apps.activity.merging import BothChanged, merged, seen_of

BEFORE = {"name": "Tides", "description": "The sea", "guidelines": ""}


def test_what_nobody_else_changed_is_stored_as_typed():
    mine = {**BEFORE, "description": "The sea and the Moon"}

    assert merged(mine=mine, now=BEFORE, seen=seen_of(BEFORE)) == mine


def test_what_only_the_other_changed_stays_theirs():
    mine, now = {**BEFORE, "name": "Sea"}, {**BEFORE, "guidelines": "Read twice."}

    got = merged(mine=mine, now=now, seen=seen_of(BEFORE))

    assert got == {**BEFORE, "name": "Sea", "guidelines": "Read twice."}


def test_what_both_changed_is_told_with_both_texts():
    mine, now = {**BEFORE, "name": "Sea"}, {**BEFORE, "name": "Ocean"}

    with pytest.raises(Conflict, match="Somebody else") as refused:
        merged(mine=mine, now=now, seen=seen_of(BEFORE))

    assert refused.value.extra["both_changed"] == [BothChanged("name", "Sea", "Ocean")]


def test_the_same_change_by_both_is_none():
    both = {**BEFORE, "name": "Sea"}

    assert merged(mine=both, now=both, seen=seen_of(BEFORE)) == both


def test_a_form_that_has_seen_nothing_overwrites_nothing():
    with pytest.raises(Conflict):
        merged(mine={"name": "Sea"}, now={"name": "Tides"}, seen="")
