import pytest

from rubricstudio.core.parsing import Parsed
from rubricstudio.core.types import UnscoredReason


@pytest.mark.parametrize("both", [{}, {"value": 1, "reason": UnscoredReason.EMPTY}])
def test_a_parsed_answer_is_a_value_or_a_reason(both):
    with pytest.raises(ValueError, match="one of the two"):
        Parsed(**both)
