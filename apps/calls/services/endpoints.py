"""Model servers and the six roles: seeded from the environment, kept by people from then on.

LLM_BASE_URL and its kin describe one endpoint of the installation. Its row and its roles follow
them at each start; what a person entered is never touched.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.utils.translation import gettext as _

from apps.activity.errors import BadInput
from apps.calls.models import ModelEndpoint, ModelRole, Origin
from apps.calls.services.encryption import encrypt
from apps.calls.services.sampling import as_stored, default_sampling
from rubricstudio.local import paths

Backend = ModelEndpoint.Backend

ENVIRONMENT = "environment"
# The embedded server answers two at a time, slowly, on the processor.
EMBEDDED_LIMITS = {"max_in_flight": 2, "timeout_seconds": 300}


@transaction.atomic
def seed_endpoint(environment: Mapping[str, str] | None = None) -> ModelEndpoint | None:
    """The endpoint that the environment names, its row brought up to date.

    Without an argument the LLM_* variables are read, else the embedded model's own when it runs.
    None when no model server is named and the embedded one does not run. Raises `BadInput`.
    """
    named = paths.model_environment() if environment is None else environment
    if not named.get("LLM_BASE_URL"):
        return None
    url = named["LLM_BASE_URL"].rstrip("/")
    embedded = paths.read_state(paths.data_dir(), "model").get("LLM_BASE_URL") == url
    endpoint = ModelEndpoint.objects.filter(project=None, origin=Origin.ENVIRONMENT).first()
    values = {
        "url": url,
        "backend": _backend(named, url),
        "api_key_encrypted": encrypt(named.get("LLM_API_KEY", "")),
        "sorts_by_priority": _sorts_by_priority(named),
        "is_embedded": embedded,
        **(EMBEDDED_LIMITS if embedded else {}),
    }
    if endpoint is None:
        return ModelEndpoint.objects.create(name=_free_name(), origin=Origin.ENVIRONMENT, **values)
    if endpoint.is_embedded and not embedded:
        fresh = ModelEndpoint()
        values |= {name: getattr(fresh, name) for name in EMBEDDED_LIMITS}
    ModelEndpoint.objects.filter(pk=endpoint.pk).update(**values)
    endpoint.refresh_from_db()
    return endpoint


@transaction.atomic
def seed_roles(endpoint: ModelEndpoint, *, model: str) -> None:
    """Let the installation's roles that follow the environment point to this model there."""
    kept = ModelRole.objects.filter(project=None, origin=Origin.PERSON).values_list("role")
    by_hand = {role for (role,) in kept}
    for role in ModelRole.Name:
        if role in by_hand:
            continue
        sampling = default_sampling(role, model=model, embedded=endpoint.is_embedded)
        ModelRole.objects.update_or_create(
            project=None,
            role=role,
            defaults={
                "endpoint": endpoint,
                "model": model,
                "sampling": as_stored(sampling),
                "origin": Origin.ENVIRONMENT,
            },
        )


def _backend(environment: Mapping[str, str], url: str) -> str:
    said = environment.get("LLM_BACKEND", "")
    if said in Backend.values:
        return said
    if said:
        raise BadInput(
            _("LLM_BACKEND is %(said)r: use one of %(known)s.")
            % {"said": said, "known": ", ".join(Backend.values)}
        )
    return Backend.OPENAI if "api.openai.com" in url else Backend.VLLM


def _sorts_by_priority(environment: Mapping[str, str]) -> bool:
    said = environment.get("LLM_PRIORITIES", "")
    if said.lower() in ("", "true", "false"):
        return said.lower() == "true"
    raise BadInput(_("LLM_PRIORITIES is %(said)r: use true or false.") % {"said": said})


def _free_name() -> str:
    """A person may have taken the name for an endpoint of their own."""
    taken = set(ModelEndpoint.objects.filter(project=None).values_list("name", flat=True))
    names = [ENVIRONMENT, *(f"{ENVIRONMENT}-{number}" for number in range(2, len(taken) + 3))]
    return next(name for name in names if name not in taken)
