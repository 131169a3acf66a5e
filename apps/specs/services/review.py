"""From draft to frozen: a review is asked for, a second person approves, a bundle freezes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts import project_settings
from apps.accounts.models import Project, Role, User
from apps.accounts.selectors import roles_of
from apps.activity import services as activity
from apps.activity.errors import BadInput, Conflict, NotAllowed
from apps.specs import selectors
from apps.specs.models import Spec

State = Spec.State
WAITING = frozenset({State.DRAFT, State.IN_REVIEW})
APPROVERS = frozenset({Role.REVIEWER, Role.ADMIN})


@transaction.atomic
def request_review(spec: Spec, *, actor: User, reason: str = "") -> Spec:
    """Ask for a second person. Raises `Conflict` when it is no draft, or not the newest."""
    locked = _newest_locked(spec)
    if locked.state != State.DRAFT:
        raise Conflict(
            _("Only a draft can be sent to review; this version is %(state)s.")
            % {"state": locked.get_state_display().lower()}
        )
    locked.state = State.IN_REVIEW
    locked.save(update_fields=["state"])
    _record("spec.review_requested", locked, actor, reason)
    return locked


@transaction.atomic
def approve(spec: Spec, *, actor: User, reason: str = "") -> Spec:
    """Make a version under review a candidate for bundles.

    Raises `NotAllowed` for its author (unless the project's settings allow that) and for who is no
    reviewer, and `Conflict` when it is not under review, not the newest or cannot score.
    """
    locked = _newest_locked(spec)
    project = locked.prompt_revision.prompt.project
    _check_approver(project, actor)
    if locked.author == actor and project_settings.load(project).approval_needs_second_person:
        raise NotAllowed(_("Somebody else than its author has to approve a spec."))
    if locked.state != State.IN_REVIEW:
        raise Conflict(
            _("Only a version under review can be approved; this one is %(state)s.")
            % {"state": locked.get_state_display().lower()}
        )
    if not selectors.usable(Spec.objects.filter(pk=locked.pk)).exists():
        raise Conflict(_("A spec without criteria and checkers cannot score: it stays a draft."))
    _become_candidates(Spec.objects.filter(pk=locked.pk), actor)
    _record("spec.approved", locked, actor, reason)
    locked.refresh_from_db()
    return locked


@transaction.atomic
def approve_all(project: Project, *, actor: User, reason: str = "") -> int:
    """Approve the newest version of every prompt that can score; how many were approved.

    Review is asked for and given in one act, written to the trail as one. Raises `NotAllowed` when
    the actor is no reviewer, or wrote one of them while a second person is needed.
    """
    newest = selectors.usable(selectors.newest_specs(project))
    return _approve_waiting(project, newest, actor, reason)


@transaction.atomic
def approve_some(project: Project, *, pks: Collection[int], actor: User, reason: str = "") -> int:
    """Approve these versions, as far as they are the newest, can score and wait for it.

    Like `approve_all`, which it may raise the same errors as.
    """
    chosen = selectors.newest_specs(project).filter(pk__in=pks)
    return _approve_waiting(project, selectors.usable(chosen), actor, reason)


def _approve_waiting(project: Project, specs: QuerySet[Spec], actor: User, reason: str) -> int:
    _check_approver(project, actor)
    # Where thousands of states have just changed, a condition on the state would mislead the
    # planner into reading all prompts once for each spec.
    states = specs.values_list("pk", "author_id", "state")
    waiting = [(pk, author) for pk, author, state in states if state in WAITING]
    own = sum(author == actor.pk for _pk, author in waiting)
    if own and project_settings.load(project).approval_needs_second_person:
        raise NotAllowed(
            ngettext(
                "%(count)d spec was written by the same person: somebody else has to approve it.",
                "%(count)d specs were written by the same person: somebody else has to approve "
                "them.",
                own,
            )
            % {"count": own}
        )
    pks = [pk for pk, _author in waiting]
    approved = _become_candidates(Spec.objects.filter(pk__in=pks), actor)
    if approved:
        activity.record(
            verb="specs.approved",
            target=project,
            project=project,
            actor=actor,
            reason=reason,
            detail={"specs": pks},
        )
    return approved


@transaction.atomic
def withdraw_review(spec: Spec, *, actor: User) -> Spec:
    """Take back that a review was asked for. Raises `Conflict` when it is not under review."""
    return _back(spec, {State.IN_REVIEW}, State.DRAFT, "spec.review_withdrawn", actor, "")


@transaction.atomic
def send_back(spec: Spec, *, actor: User, reason: str) -> Spec:
    """What waits for approval, or has it, is a draft again; the reason says what to change.

    Raises `NotAllowed` for who is no reviewer, `BadInput` without a reason, and `Conflict` for any
    other state (what a bundle froze stays) or where a newer version was saved.
    """
    _check_approver(spec.prompt_revision.prompt.project, actor)
    if not reason.strip():
        raise BadInput(_("Say what has to change: the author reads it."))
    back = {State.IN_REVIEW, State.CANDIDATE}
    return _back(spec, back, State.DRAFT, "spec.sent_back", actor, reason)


@transaction.atomic
def withdraw_approval(spec: Spec, *, actor: User) -> Spec:
    """Take an approval back while no bundle has frozen it: it waits for review again.

    Raises as `send_back` does.
    """
    _check_approver(spec.prompt_revision.prompt.project, actor)
    return _back(spec, {State.CANDIDATE}, State.IN_REVIEW, "spec.approval_withdrawn", actor, "")


def _back(
    spec: Spec, states: Collection[str], state: State, verb: str, actor: User, reason: str
) -> Spec:
    locked = _newest_locked(spec)
    if locked.state not in states:
        raise Conflict(
            _("This version is %(state)s by now: look at it again.")
            % {"state": locked.get_state_display().lower()}
        )
    locked.state, locked.approved_by, locked.approved_at = state, None, None
    locked.save(update_fields=["state", "approved_by", "approved_at"])
    _record(verb, locked, actor, reason)
    return locked


@transaction.atomic
def freeze_specs(pks: Sequence[int]) -> int:
    """Freeze candidates for the bundle that holds them; how many were not frozen before.

    Raises `Conflict` when one of them is neither candidate nor frozen.
    """
    locked = Spec.objects.select_for_update().filter(pk__in=pks).order_by("pk")
    states = list(locked.values_list("state", flat=True))
    loose = sum(state not in (State.CANDIDATE, State.FROZEN) for state in states)
    if loose:
        raise Conflict(
            ngettext(
                "%(count)d spec is not approved yet.",
                "%(count)d specs are not approved yet.",
                loose,
            )
            % {"count": loose}
        )
    candidates = Spec.objects.filter(pk__in=pks, state=State.CANDIDATE)
    return candidates.update(state=State.FROZEN, frozen_at=timezone.now())


def _newest_locked(spec: Spec) -> Spec:
    """The row, locked. Raises `Conflict` when a later version was saved."""
    locked = (
        Spec.objects.select_for_update(of=("self",))
        .select_related("prompt_revision__prompt__project")
        .get(pk=spec.pk)
    )
    newer = Spec.objects.filter(
        prompt_revision=locked.prompt_revision, version__gt=locked.version
    ).exists()
    if newer:
        raise Conflict(_("A newer version of this spec was saved: look at that one."))
    return locked


def _check_approver(project: Project, actor: User) -> None:
    if not roles_of(actor, project) & APPROVERS:
        raise NotAllowed(
            _("%(person)s is no reviewer of the project %(slug)s.")
            % {"person": actor, "slug": project.slug}
        )


def _become_candidates(specs: QuerySet[Spec], actor: User) -> int:
    return specs.update(state=State.CANDIDATE, approved_by=actor, approved_at=timezone.now())


def _record(verb: str, spec: Spec, actor: User, reason: str) -> None:
    activity.record(
        verb=verb,
        target=spec,
        project=spec.prompt_revision.prompt.project,
        actor=actor,
        reason=reason,
        detail={"version": spec.version, "spec_id": spec.spec_id},
    )
