"""The reference names every constraint type with its parameters and options."""

import re

import pytest

from rubricstudio.core.checkers.studio_types import STUDIO_TYPES
from tests.shared_data import ROOT

ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
PAGE = (ROOT / "docs" / "reference" / "constraints.md").read_text(encoding="utf-8")
ROWS = {name: cells for name, *cells in ROW.findall(PAGE)}


def test_the_reference_lists_the_types_in_the_order_of_the_registry():
    assert list(ROWS) == [one.name for one in STUDIO_TYPES]


@pytest.mark.parametrize("one", STUDIO_TYPES, ids=lambda one: one.name)
def test_the_reference_says_what_a_type_takes(one):
    meaning, params, options = ROWS[one.name]
    bound = {"op", "value", "high", "tolerance"} if "a bound" in params else set()

    assert meaning == one.meaning
    assert bound | set(re.findall(r"`(\w+)`", params)) == set(one.params)
    assert set(re.findall(r"`(\w+)`\?", params)) == {
        name for name, param in one.params.items() if not param.required and name not in bound
    }
    assert set(re.findall(r"`(\w+)`", options)) == set(one.options)
