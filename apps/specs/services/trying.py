"""What the checkers say of a response that somebody pasted: nothing is stored."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _

from apps.activity.errors import BadInput
from rubricstudio.core.checkers.registry import Checklist
from rubricstudio.core.checkers.segmentation import DocumentView
from rubricstudio.core.types import CheckOutcome, Constraint

LONGEST_RESPONSE = 2_000_000
"""Characters. A response of this length takes some seconds, one of 3 kB a millisecond."""


def try_response(
    constraints: Iterable[Constraint], response: str, *, truncated: bool = False
) -> list[CheckOutcome]:
    """The outcomes for one response, in the order of the constraints.

    A constraint that no checker answers is unavailable, with the sentence that says why. Raises
    `BadInput` for a response that is too long to be checked while somebody waits.
    """
    if len(response) > LONGEST_RESPONSE:
        raise BadInput(
            _("The response has %(length)d characters, and at most %(most)d can be tried here.")
            % {"length": len(response), "most": LONGEST_RESPONSE}
        )
    return Checklist(constraints).check(DocumentView(response, truncated=truncated))
