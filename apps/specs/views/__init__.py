"""Pages of specs."""

from apps.specs.views.detail import call, compare, detail, line, of_prompt, states
from apps.specs.views.jobs import (
    cancel_making,
    make,
    making,
    making_state,
    pause_making,
    resume_making,
)
from apps.specs.views.lists import list_specs
from apps.specs.views.review import (
    approve,
    approve_some,
    request_review,
    send_back,
    withdraw_approval,
    withdraw_review,
)

__all__ = [
    "approve",
    "approve_some",
    "call",
    "cancel_making",
    "compare",
    "detail",
    "line",
    "list_specs",
    "make",
    "making",
    "making_state",
    "of_prompt",
    "pause_making",
    "request_review",
    "resume_making",
    "send_back",
    "states",
    "withdraw_approval",
    "withdraw_review",
]
