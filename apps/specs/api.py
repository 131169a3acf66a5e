"""Specs over HTTP, to read."""

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
from apps.specs import selectors
from apps.specs.models import Spec
from apps.specs.schemas import SpecDetailOut, SpecsOut

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
