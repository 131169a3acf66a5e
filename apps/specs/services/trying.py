"""What the checkers say of a response that somebody pasted: nothing is stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from apps.accounts import project_settings
from apps.activity.errors import BadInput
from apps.specs.models import Checker, Spec
from apps.specs.services.jail import run_generated, switched_off
from apps.specs.services.saving import prompt_of
from rubricstudio.core.checkers.generated import code_of
from rubricstudio.core.checkers.registry import Checklist
from rubricstudio.core.checkers.segmentation import DocumentView
from rubricstudio.core.types import CheckOutcome, Constraint
from rubricstudio.llm.conversation import last_user_text

LONGEST_RESPONSE = 2_000_000
"""Characters. A response of this length takes some seconds, one of 3 kB a millisecond."""


def try_response(
    constraints: Iterable[Constraint],
    response: str,
    *,
    truncated: bool = False,
    spec: Spec | None = None,
) -> list[CheckOutcome]:
    """The outcomes for one response, in the order of the constraints.

    A constraint that no checker answers is unavailable, with the sentence that says why; `spec` is
    the one whose generated checkers are asked, through the jail. Raises
    `BadInput` for a response that is too long to be checked while somebody waits.
    """
    if len(response) > LONGEST_RESPONSE:
        raise BadInput(
            _("The response has %(length)d characters, and at most %(most)d can be tried here.")
            % {"length": len(response), "most": LONGEST_RESPONSE}
        )
    asked, view = list(constraints), DocumentView(response, truncated=truncated)
    outcomes = Checklist(asked).check(view)
    if spec is not None and any(code_of(one) for one in asked):
        outcomes = _with_generated(asked, outcomes, view, spec)
    return outcomes


def _with_generated(
    asked: Sequence[Constraint], outcomes: Sequence[CheckOutcome], view: DocumentView, spec: Spec
) -> list[CheckOutcome]:
    """The outcomes with those of generated checkers in their places."""
    project = spec.prompt_revision.prompt.project
    if not project_settings.load(project).generated_checkers:
        return [
            switched_off() if code_of(constraint) else outcome
            for constraint, outcome in zip(asked, outcomes, strict=True)
        ]
    codes = dict(
        Checker.objects.filter(constraint__spec=spec, origin=Checker.Origin.GENERATED).values_list(
            "content_sha256", "code"
        )
    )
    instruction = last_user_text(prompt_of(spec.prompt_revision))
    rows = run_generated(list(codes.values()), instruction=instruction, views=[view])
    said = {sha256: one for sha256, (one,) in zip(codes, rows, strict=True)}
    return [
        said.get(code_of(constraint) or "", outcome)
        for constraint, outcome in zip(asked, outcomes, strict=True)
    ]
