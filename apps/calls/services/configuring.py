"""Model endpoints and roles as people set them; what the environment seeded stays its own.

An API key goes in and never comes out: not on a page, not into the trail.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import Project, User
from apps.activity import services as activity
from apps.activity.errors import BadInput, Conflict
from apps.calls.models import ModelEndpoint, ModelRole, Origin
from apps.calls.services.encryption import encrypt
from apps.calls.services.sampling import as_stored, read_sampling

SEEDED = ("url", "backend", "sorts_by_priority")
"""What the environment says at each start, so that nobody changes it on a page."""
FIELDS = ("name", *SEEDED, "max_in_flight", "timeout_seconds", "prices")


@transaction.atomic
def create_endpoint(
    *, project: Project | None, values: Mapping[str, Any], api_key: str, actor: User | None = None
) -> ModelEndpoint:
    """A model server; without a project for the installation. Raises BadInput and Conflict."""
    endpoint = ModelEndpoint(project=project, api_key_encrypted=encrypt(api_key))
    _fill(endpoint, values)
    _check_name(endpoint)
    endpoint.save()
    _record("endpoint.created", endpoint, actor, values)
    return endpoint


@transaction.atomic
def change_endpoint(
    *,
    endpoint: ModelEndpoint,
    values: Mapping[str, Any],
    api_key: str | None = None,
    actor: User | None = None,
) -> ModelEndpoint:
    """Set some fields; a key of None stays, an empty one is forgotten.

    Of an endpoint of the environment only limits and prices can be set. Raises BadInput, Conflict.
    """
    locked = ModelEndpoint.objects.select_for_update(of=("self",)).get(pk=endpoint.pk)
    changed = {name: one for name, one in values.items() if one != getattr(locked, name)}
    if locked.origin == Origin.ENVIRONMENT and (api_key is not None or set(changed) & set(SEEDED)):
        raise Conflict(
            _("%(name)s follows the environment: change LLM_BASE_URL and its kin, and restart.")
            % {"name": locked.name}
        )
    _fill(locked, changed)
    _check_name(locked)
    if api_key is not None:
        locked.api_key_encrypted = encrypt(api_key)
    if changed or api_key is not None:
        locked.save(update_fields=[*changed, "api_key_encrypted"])
        key = {} if api_key is None else {"api_key": "set" if api_key else "forgotten"}
        _record("endpoint.changed", locked, actor, {**changed, **key})
    return locked


@transaction.atomic
def switch_endpoint(*, endpoint: ModelEndpoint, on: bool, actor: User | None = None) -> None:
    """While it is off nothing is asked of it; runs that need it stand still and say so."""
    switched = ModelEndpoint.objects.filter(pk=endpoint.pk, disabled_at__isnull=not on)
    if switched.update(disabled_at=None if on else timezone.now()):
        _record("endpoint.switched_on" if on else "endpoint.switched_off", endpoint, actor)


@transaction.atomic
def set_role(
    *,
    project: Project | None,
    role: str,
    endpoint: ModelEndpoint,
    model: str,
    weights_revision: str = "",
    sampling: Mapping[str, Any] | None = None,
    actor: User | None = None,
) -> ModelRole:
    """Let a model play a role, in a project or in the whole installation. Raises BadInput."""
    if endpoint.project_id not in (None, project.pk if project else None):
        raise BadInput(_("The endpoint %(name)s belongs to another project.") % {"name": endpoint})
    row = ModelRole(
        project=project,
        role=role,
        endpoint=endpoint,
        model=model.strip(),
        weights_revision=weights_revision.strip(),
        sampling=dict(sampling or {}),
        origin=Origin.PERSON,
    )
    row.sampling = as_stored(read_sampling(row))
    _check_fields(row, exclude={"project", "endpoint", "sampling"})
    kept, _created = ModelRole.objects.update_or_create(
        project=project,
        role=role,
        defaults={
            name: getattr(row, name)
            for name in ("endpoint", "model", "weights_revision", "sampling", "origin")
        },
    )
    detail = {"role": role, "model": kept.model, "endpoint": endpoint.name}
    activity.record(
        verb="model_role.set",
        target=kept,
        project=project,
        actor=actor,
        detail={**detail, "sampling": kept.sampling},
    )
    return kept


@transaction.atomic
def reset_role(*, project: Project | None, role: str, actor: User | None = None) -> None:
    """Take back what a person set: a project has the installation's model again, and the
    installation the environment's from its next start on.
    """
    rows = ModelRole.objects.filter(project=project, role=role, origin=Origin.PERSON)
    for row in rows:
        activity.record(
            verb="model_role.reset",
            target=row,
            project=project,
            actor=actor,
            detail={"role": role, "model": row.model},
        )
    if project is not None:
        rows.delete()
        return
    followed = ModelRole.objects.filter(project=None, origin=Origin.ENVIRONMENT).first()
    if followed is None:
        rows.delete()
    else:
        rows.update(origin=Origin.ENVIRONMENT, endpoint=followed.endpoint_id, model=followed.model)


def _fill(endpoint: ModelEndpoint, values: Mapping[str, Any]) -> None:
    unknown = set(values) - set(FIELDS)
    if unknown:
        raise BadInput(_("An endpoint has no %(name)s.") % {"name": ", ".join(sorted(unknown))})
    for name, value in values.items():
        setattr(endpoint, name, value)
    endpoint.url = endpoint.url.strip().rstrip("/")
    _check_url(endpoint.url)
    _check_fields(endpoint, exclude={"project", "prices", "probe", "api_key_encrypted"})


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable or parts.username or parts.query or parts.fragment:
        raise BadInput(
            _("%(url)r is no address of a model server: it begins with http, and ends in /v1.")
            % {"url": url}
        )


def _check_name(endpoint: ModelEndpoint) -> None:
    others = ModelEndpoint.objects.filter(project=endpoint.project, name=endpoint.name)
    if others.exclude(pk=endpoint.pk).exists():
        raise Conflict(_("There is an endpoint %(name)s already.") % {"name": endpoint.name})


def _check_fields(row: ModelEndpoint | ModelRole, *, exclude: set[str]) -> None:
    try:
        row.clean_fields(exclude=exclude)
    except ValidationError as error:
        reasons = "; ".join(
            f"{name}: {' '.join(said)}" for name, said in error.message_dict.items()
        )
        raise BadInput(_("This cannot be: %(reasons)s") % {"reasons": reasons}) from None


def _record(
    verb: str, endpoint: ModelEndpoint, actor: User | None, detail: Mapping[str, Any] | None = None
) -> None:
    activity.record(
        verb=verb,
        target=endpoint,
        project=endpoint.project,
        actor=actor,
        detail={"name": endpoint.name, **(detail or {})},
    )
