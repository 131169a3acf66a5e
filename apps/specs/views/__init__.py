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
from apps.specs.views.statistics import statistics, statistics_file
from apps.specs.views.workbench import (
    constraint_fields,
    remove_constraint,
    restore_constraints,
    save_constraint,
    try_response,
    workbench,
)

__all__ = [
    "approve",
    "approve_some",
    "call",
    "cancel_making",
    "compare",
    "constraint_fields",
    "detail",
    "line",
    "list_specs",
    "make",
    "making",
    "making_state",
    "of_prompt",
    "pause_making",
    "remove_constraint",
    "request_review",
    "restore_constraints",
    "resume_making",
    "save_constraint",
    "send_back",
    "states",
    "statistics",
    "statistics_file",
    "try_response",
    "withdraw_approval",
    "withdraw_review",
    "workbench",
]
