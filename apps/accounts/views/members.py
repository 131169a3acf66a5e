"""Who works in a project: members and their roles, and the links that let others in."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.accounts import access, links, selectors, services
from apps.accounts.access import ProjectRequest
from apps.accounts.forms import InvitationForm, MemberForm
from apps.accounts.models import Invitation, Role, User
from apps.activity.models import AuditEvent

UNUSABLE = 422


@access.project(access.READERS)
@require_safe
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """The members, their roles, and invitations that nobody has accepted yet."""
    return _page(cast(ProjectRequest, request), InvitationForm())


@access.project(access.ADMINS)
@require_POST
def set_roles(request: HttpRequest, slug: str, person: int) -> HttpResponse:
    """Give a member exactly the roles that are ticked."""
    admitted = cast(ProjectRequest, request)
    user = _member(admitted, person)
    form = MemberForm(request.POST)
    roles = form.cleaned_data["roles"] if form.is_valid() else []
    services.set_roles(project=admitted.project, user=user, roles=roles, actor=admitted.actor)
    messages.success(request, _("The roles of %(user)s are saved.") % {"user": user})
    return redirect("accounts:members", slug=slug)


@access.project(access.ADMINS)
@require_POST
def remove_member(request: HttpRequest, slug: str, person: int) -> HttpResponse:
    """Take a member out; the toast undoes it."""
    admitted = cast(ProjectRequest, request)
    user = _member(admitted, person)
    removal = services.remove_member(project=admitted.project, user=user, actor=admitted.actor)
    undo = reverse("accounts:restore_member", args=[slug, removal.pk])
    messages.success(request, _("%(user)s is removed.") % {"user": user}, extra_tags=undo)
    return redirect("accounts:members", slug=slug)


@access.project(access.ADMINS)
@require_POST
def restore_member(request: HttpRequest, slug: str, removal: int) -> HttpResponse:
    """Undo a removal of a moment ago."""
    admitted = cast(ProjectRequest, request)
    event = get_object_or_404(AuditEvent, pk=removal, project=admitted.project)
    user = services.restore_member(project=admitted.project, removal=event, actor=admitted.actor)
    messages.success(request, _("%(user)s is a member again.") % {"user": user})
    return redirect("accounts:members", slug=slug)


@access.project(access.ADMINS)
@never_cache
@require_POST
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a link; the page that answers is the only one that ever shows it."""
    admitted = cast(ProjectRequest, request)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _page(admitted, form, status=UNUSABLE)
    said = form.cleaned_data
    created = services.create_invitation(
        project=admitted.project,
        roles=said["roles"],
        note=said["note"],
        lifetime=timedelta(days=said["days"]),
        actor=admitted.actor,
    )
    link = links.invitation_url(created.token)
    return _page(admitted, InvitationForm(), created=created.invitation, link=link)


@access.project(access.ADMINS)
@require_POST
def revoke_invitation(request: HttpRequest, slug: str, invitation: int) -> HttpResponse:
    """Withdraw a link; the toast undoes it."""
    found = _invitation(request, invitation)
    services.revoke_invitation(invitation=found, actor=cast(ProjectRequest, request).actor)
    undo = reverse("accounts:restore_invitation", args=[slug, found.pk])
    messages.success(request, _("The invitation is withdrawn."), extra_tags=undo)
    return redirect("accounts:members", slug=slug)


@access.project(access.ADMINS)
@require_POST
def restore_invitation(request: HttpRequest, slug: str, invitation: int) -> HttpResponse:
    """Undo a withdrawal: the same link holds again."""
    found = _invitation(request, invitation)
    services.restore_invitation(invitation=found, actor=cast(ProjectRequest, request).actor)
    messages.success(request, _("The invitation holds again."))
    return redirect("accounts:members", slug=slug)


def _member(request: ProjectRequest, person: int) -> User:
    members = User.objects.filter(memberships__project=request.project)
    return get_object_or_404(members.distinct(), pk=person)


def _invitation(request: HttpRequest, invitation: int) -> Invitation:
    project = cast(ProjectRequest, request).project
    return get_object_or_404(Invitation, pk=invitation, project=project)


def _page(
    request: ProjectRequest, form: InvitationForm, *, status: int = 200, **context: Any
) -> HttpResponse:
    context |= {
        "form": form,
        "members": selectors.members_of(request.project),
        "invitations": selectors.pending_invitations(request.project),
        "all_roles": Role.choices,
        "may_change": Role.ADMIN in request.roles,
    }
    return render(request, "accounts/members.html", context, status=status)
