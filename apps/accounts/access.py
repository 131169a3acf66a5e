"""Who may use a route is declared on its view; the middleware enforces it, and denies by default.

    @access.public                              anybody
    @access.signed_in                           any person
    @access.site_admin                          who administers the installation
    @access.project(Role.AUTHOR, …)             pages under a project: members with such a role
    @access.api(scope=Scope.X, roles=READERS)   API operations under a project: such a member, or
                                                a bearer token of that project with the scope
    @access.token(scope=Scope.X)                API operations without a project in the address:
                                                a bearer token, which knows its project

Outsiders of a project get 404, whatever they ask for; members without the role get 403. A route
without a policy answers nobody. On an API operation the decorator stands directly under the
router's own one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar

from django.http import HttpRequest
from ninja import Path

from apps.accounts.models import ApiToken, Project, Role, Scope, User

MEMBERS = frozenset(Role)
READERS = MEMBERS - {Role.ANNOTATOR}
AUTHORS = frozenset({Role.AUTHOR, Role.ADMIN})
REVIEWERS = frozenset({Role.REVIEWER, Role.ADMIN})
ADMINS = frozenset({Role.ADMIN})

ATTRIBUTE = "access_policy"
View = TypeVar("View", bound=Callable[..., Any])


class Kind(Enum):
    PUBLIC = "public"
    SIGNED_IN = "signed in"
    SITE_ADMIN = "site administrator"
    PROJECT = "project page"
    API = "project API"
    TOKEN = "token API"  # noqa: S105 - a kind of route


@dataclass(frozen=True)
class Policy:
    """Who may use a route. `scope` None on an API operation: any token of the project."""

    kind: Kind
    roles: frozenset[Role] = frozenset()
    scope: Scope | None = None

    @property
    def is_api(self) -> bool:
        """Refused as JSON, and open to tokens."""
        return self.kind in (Kind.API, Kind.TOKEN)


class ProjectRequest(HttpRequest):
    """A request that was admitted to a project; `actor` is None for a token."""

    user: User
    project: Project
    roles: frozenset[Role]
    actor: User | None
    token: ApiToken | None


def public(view: View) -> View:
    """Open to anybody, signed in or not."""
    return _declare(view, Policy(Kind.PUBLIC))


def signed_in(view: View) -> View:
    """For any person; what it shows is chosen by what the person may see."""
    return _declare(view, Policy(Kind.SIGNED_IN))


def site_admin(view: View) -> View:
    """For who administers the installation."""
    return _declare(view, Policy(Kind.SITE_ADMIN))


def project(*roles: Role | Iterable[Role]) -> Callable[[View], View]:
    """A page whose URL has `slug`, for members with one of the roles (or sets of roles)."""
    policy = Policy(Kind.PROJECT, _flat(roles))
    return lambda view: _declare(view, policy)


def api(*, scope: Scope | None, roles: Iterable[Role]) -> Callable[[View], View]:
    """An operation whose path has `slug`, for tokens with the scope and members with a role."""
    policy = Policy(Kind.API, frozenset(roles), scope)
    return lambda view: _declare(_with_slug_from_path(view), policy)


def token(*, scope: Scope) -> Callable[[View], View]:
    """An operation for programs alone, in the project of their token."""
    policy = Policy(Kind.TOKEN, scope=scope)
    return lambda view: _declare(view, policy)


def _with_slug_from_path(view: View) -> View:
    """Say that `slug` is a part of the path: ninja overlooks the prefix a router is mounted at."""
    if "slug" in view.__annotations__:
        view.__annotations__["slug"] = Path[str]
    return view


def _declare(view: View, policy: Policy) -> View:
    setattr(view, ATTRIBUTE, policy)
    return view


def _flat(roles: Iterable[Role | Iterable[Role]]) -> frozenset[Role]:
    sets = [{item} if isinstance(item, Role) else set(item) for item in roles]
    return frozenset().union(*sets)


def policy_of(view: Callable[..., Any], method: str) -> Policy | None:
    """The policy of a resolved view for a verb; None when none is declared.

    One URL of the API may hold several operations, told apart by the verb. A verb that no
    operation answers has the policy of the first: it gets 405 from who may know of the URL.
    """
    declared = getattr(view, ATTRIBUTE, None)
    if isinstance(declared, Policy):
        return declared
    operations = operation_policies(view)
    return operations.get(method, next(iter(operations.values()), None))


@cache
def operation_policies(view: Callable[..., Any]) -> Mapping[str, Policy | None]:
    """The policies of django-ninja's operations behind one URL, by verb; empty for other views.

    Ninja hides its operations in the closure of the view that it registers.
    """
    if not inspect.isfunction(view):
        return {}
    path_view = inspect.getclosurevars(view).nonlocals.get("self")
    return {
        method: getattr(operation.view_func, ATTRIBUTE, None)
        for operation in getattr(path_view, "operations", [])
        for method in operation.methods
    }
