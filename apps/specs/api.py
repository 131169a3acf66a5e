"""Specs over HTTP: to read, and to try their checkers on a response."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from ninja import Router

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.accounts.models import Scope
from apps.activity.errors import BadInput
from apps.activity.paging import page
from apps.specs import selectors, services
from apps.specs.models import Spec
from apps.specs.schemas import (
    ConstraintTypesOut,
    OutcomeOut,
    SpecDetailOut,
    SpecsOut,
    TriedOut,
    TryIn,
)
from rubricstudio.core.types import Constraint

router = Router(tags=["specs"])

reads = access.api(scope=Scope.SPECS_READ, roles=access.READERS)


@router.get("/specs", response=SpecsOut)
@reads
def list_specs(
    request: ProjectRequest, slug: str, state: str = "", after: str | None = None, limit: int = 100
) -> dict[str, Any]:
    """The newest spec of each prompt, optionally of one state."""
    if state and state not in Spec.State.values:
        raise BadInput(
            _("The state is %(state)r: use one of %(known)s.")
            % {"state": state, "known": ", ".join(Spec.State.values)}
        )
    specs = selectors.listed_specs(request.project, state=state)
    return page(specs, after=after, limit=limit)._asdict()


@router.get("/specs/{int:prompt}", response=SpecDetailOut)
@reads
def get_spec(request: ProjectRequest, slug: str, prompt: int, version: int | None = None) -> Spec:
    """The newest spec of a prompt, known by its number, or one version of it."""
    spec = selectors.find_spec(request.project, prompt=prompt, version=version)
    if spec is None:
        raise Http404
    return spec


@router.post("/specs/{int:prompt}/try", response=TriedOut)
@reads
def try_response(request: ProjectRequest, slug: str, prompt: int, wish: TryIn) -> TriedOut:
    """What the checkers of a spec say of any response; nothing is stored."""
    spec = selectors.find_spec(request.project, prompt=prompt, version=wish.version)
    if spec is None:
        raise Http404
    if wish.constraints is None:
        constraints = [one.as_value() for one in spec.constraints.all()]
    else:
        constraints = [Constraint(**one.dict()) for one in wish.constraints]
    outcomes = services.try_response(
        constraints, wish.response, truncated=wish.truncated, spec=spec
    )
    told = [
        OutcomeOut(
            number=number,
            type=constraint.type,
            result=one.result,
            cause=one.cause,
            reason=one.reason,
            spans=list(one.spans),
        )
        for number, (constraint, one) in enumerate(zip(constraints, outcomes, strict=True), 1)
    ]
    return TriedOut(version=spec.version, outcomes=told)


@router.get("/constraint-types", response=ConstraintTypesOut)
@reads
def constraint_types(request: ProjectRequest, slug: str) -> ConstraintTypesOut:
    """Which constraint types the newest specs ask for, and what answers them."""
    return ConstraintTypesOut.of(selectors.constraint_types(request.project))
