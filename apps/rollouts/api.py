"""Rollouts in and out. A file is the body of the request as it is, as for prompts."""

from __future__ import annotations

from django.http import Http404
from ninja import Query, Router

from apps.accounts import access
from apps.accounts.models import Scope
from apps.activity.paging import page
from apps.prompts.api import FILE_BODY, FileOptions
from apps.prompts.schemas import ImportDone
from apps.prompts.services import ImportFile
from apps.prompts.uploads import received
from apps.rollouts import selectors
from apps.rollouts.schemas import RolloutListed, RolloutOut, RolloutPage
from apps.rollouts.services import import_rollouts

router = Router(tags=["rollouts"])


@router.post("/rollouts", response=ImportDone, openapi_extra=FILE_BODY)
@access.api(scope=Scope.ROLLOUTS_WRITE, roles=access.AUTHORS)
def add_rollouts(
    request: access.ProjectRequest,
    slug: str,
    policy: str,
    options: Query[FileOptions],
    dry_run: bool = False,
) -> ImportDone:
    """Import the rollouts in the body; `policy` is who answered, where no column says so."""
    with received(request) as path:
        result = import_rollouts(
            request.project,
            ImportFile(path, **options.dict()),
            policy=policy,
            dry_run=dry_run,
            actor=request.actor,
        )
    return ImportDone.of(result)


@router.get("/rollouts", response=RolloutPage)
@access.api(scope=Scope.ROLLOUTS_READ, roles=access.READERS)
def list_rollouts(
    request: access.ProjectRequest,
    slug: str,
    prompt: int | None = None,
    policy: str | None = None,
    step: int | None = None,
    after: str | None = None,
    limit: int = 100,
) -> RolloutPage:
    """The rollouts by number, with excerpts; of one prompt, policy or step if asked."""
    found = selectors.list_rollouts(request.project, prompt=prompt, policy=policy, step=step)
    rollouts = page(found, after=after, limit=limit, key="number")
    return RolloutPage(items=[RolloutListed.of(one) for one in rollouts.items], next=rollouts.next)


@router.get("/rollouts/{int:number}", response=RolloutOut)
@access.api(scope=Scope.ROLLOUTS_READ, roles=access.READERS)
def get_rollout(request: access.ProjectRequest, slug: str, number: int) -> RolloutOut:
    """One rollout with its messages."""
    rollout = selectors.find_rollout(request.project, number)
    if rollout is None:
        raise Http404
    return RolloutOut.with_text(rollout, selectors.revision_numbers(rollout))
