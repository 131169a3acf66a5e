"""What others write through this app: making specs, saving versions, review."""

from apps.specs.services.composing import AUTO, GIVEN, METHODS, MODEL
from apps.specs.services.drafts import Draft, DraftConstraint
from apps.specs.services.jail import NoJail, diagnose_jail, jail_ladder, run_generated
from apps.specs.services.keeping import NO_CHECKER
from apps.specs.services.making import KIND, carry_making, start_making
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
from apps.specs.services.writers import ROLES
from rubricstudio.llm.questions import LABELS

__all__ = [
    "AUTO",
    "GIVEN",
    "KIND",
    "LABELS",
    "METHODS",
    "MODEL",
    "NO_CHECKER",
    "ROLES",
    "Draft",
    "DraftConstraint",
    "NoJail",
    "approve",
    "approve_all",
    "approve_some",
    "carry_making",
    "diagnose_jail",
    "freeze_specs",
    "jail_ladder",
    "request_review",
    "run_generated",
    "save_draft",
    "save_version",
    "send_back",
    "start_making",
    "withdraw_approval",
    "withdraw_review",
]
