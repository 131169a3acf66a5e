"""What came of one prompt, in one transaction: its calls, and its spec or why there is none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from apps.activity.errors import Conflict
from apps.activity.models import Job
from apps.prompts.models import PromptRevision
from apps.specs.models import Spec, SpecFailure
from apps.specs.services.composing import compose
from apps.specs.services.drafts import Draft
from apps.specs.services.given import GivenParts
from apps.specs.services.keys import lasting_keys
from apps.specs.services.saving import save_draft
from apps.specs.services.writers import Answers, Desk, Wanted, model_error
from rubricstudio.core.errors import CoreError
from rubricstudio.core.types import Constraint

UNREADABLE, OVERTAKEN = "unreadable", "overtaken"
NOTHING_GIVEN, NO_CHECKER = "nothing_given", "no_checker"
NAMED_AT_MOST = 5


@dataclass(frozen=True, slots=True)
class Item:
    """A prompt to make a spec for. `parent` is the version it would follow.

    `rules` is what rules read in the prompt; None where they do not read it.
    """

    revision: PromptRevision
    parent: Spec | None
    given: GivenParts
    wanted: Wanted
    rules: tuple[Constraint, ...] | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a prompt has no usable spec: a cause class and a sentence."""

    cause: str
    reason: str


@transaction.atomic
def keep(item: Item, answers: Answers, *, job: Job, desk: Desk | None) -> Failure | None:
    """Store the calls and what they led to; the failure, if it is one."""
    asked = keep_calls(item, answers, job=job, desk=desk)
    failure = _save(item, answers, asked, job)
    if failure is not None:
        keep_failure(item.revision, failure, job=job)
    return failure


def keep_calls(item: Item, answers: Answers, *, job: Job, desk: Desk | None) -> dict[str, Any]:
    """Store the calls alone: the prompt stays to be done."""
    if desk is None:
        return {}
    return desk.keep(answers, project=item.revision.prompt.project, job_id=job.pk)


def keep_failure(revision: PromptRevision, failure: Failure, *, job: Job) -> None:
    SpecFailure.objects.create(
        job=job, prompt_revision=revision, cause=failure.cause, reason=failure.reason
    )


def _save(item: Item, answers: Answers, asked: dict[str, Any], job: Job) -> Failure | None:
    if (flaw := answers.flaw()) is not None:
        role, one = flaw
        reason = one.failure or one.unscored
        return Failure(reason.value if reason else "", model_error(role, one))
    draft = compose(item.given, item.wanted, answers, asked=asked, rules=item.rules)
    if item.parent is not None:
        draft = replace(draft, criteria=lasting_keys(draft.criteria, item.revision))
    try:
        # A draft of its own transaction: what cannot be saved leaves the calls in place.
        with transaction.atomic():
            if draft.scores or _adds_something(draft, item.parent):
                save_draft(item.revision, draft=draft, parent=item.parent, job=job)
    except CoreError as error:
        return Failure(UNREADABLE, str(error))
    except Conflict as error:
        return Failure(OVERTAKEN, str(error))
    return None if draft.scores else _useless(draft)


def _adds_something(draft: Draft, parent: Spec | None) -> bool:
    """Constraints without a checker are kept once, so that they are seen and can be counted."""
    known = parent.constraints.values_list("content_sha256", flat=True) if parent else ()
    return {one.value.content_hash() for one in draft.constraints} != set(known)


def _useless(draft: Draft) -> Failure:
    if not draft.constraints:
        return Failure(
            NOTHING_GIVEN, _("Nothing was published with the prompt, and no model was asked.")
        )
    types = list(dict.fromkeys(one.value.type for one in draft.constraints))
    dots = ["…"] if len(types) > NAMED_AT_MOST else []
    return Failure(
        NO_CHECKER,
        _("No checker answers what it asks for (%(types)s), and no model was asked for a rubric.")
        % {"types": ", ".join([*types[:NAMED_AT_MOST], *dots])},
    )
