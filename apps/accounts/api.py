"""What a token can learn about its own project."""

from __future__ import annotations

from ninja import Router

from apps.accounts import access
from apps.accounts.models import Project
from apps.accounts.schemas import ProjectOut

router = Router(tags=["projects"])


@router.get("", response=ProjectOut)
@access.api(scope=None, roles=access.MEMBERS)
def project(request: access.ProjectRequest, slug: str) -> Project:
    """The project itself, for any token of it."""
    return request.project
