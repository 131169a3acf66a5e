"""What others write through this app: making specs, saving and editing versions, review,
and trying checkers on a response."""

from apps.specs.services.composing import AUTO, GIVEN, METHODS, MODEL, RULES
from apps.specs.services.drafts import Draft, DraftConstraint
from apps.specs.services.editing import (
    add_constraint,
    change_constraint,
    remove_constraint,
    restore_constraints,
)
from apps.specs.services.jail import NoJail, diagnose_jail, jail_ladder, run_generated, switched_off
from apps.specs.services.keeping import NO_CHECKER
from apps.specs.services.making import KIND, carry_making, start_making
from apps.specs.services.records import in_quarantine, note_outcomes, release
from apps.specs.services.review import (
    approve,
    approve_all,
    approve_some,
    freeze_specs,
    request_review,
    send_back,
    withdraw_approval,
    withdraw_review,
)
from apps.specs.services.saving import save_draft, save_version
from apps.specs.services.trying import LONGEST_RESPONSE, try_response
from apps.specs.services.writers import ROLES
from rubricstudio.llm.questions import LABELS

__all__ = [
    "AUTO",
    "GIVEN",
    "KIND",
    "LABELS",
    "LONGEST_RESPONSE",
    "METHODS",
    "MODEL",
    "NO_CHECKER",
    "ROLES",
    "RULES",
    "Draft",
    "DraftConstraint",
    "NoJail",
    "add_constraint",
    "approve",
    "approve_all",
    "approve_some",
    "carry_making",
    "change_constraint",
    "diagnose_jail",
    "freeze_specs",
    "in_quarantine",
    "jail_ladder",
    "note_outcomes",
    "release",
    "remove_constraint",
    "request_review",
    "restore_constraints",
    "run_generated",
    "save_draft",
    "save_version",
    "send_back",
    "start_making",
    "switched_off",
    "try_response",
    "withdraw_approval",
    "withdraw_review",
]
