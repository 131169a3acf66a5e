"""Everything of this app that a start of the application brings up to date."""

from __future__ import annotations

from collections.abc import Mapping

from apps.calls.models import ModelEndpoint
from apps.calls.services.endpoints import seed_endpoint, seed_roles
from apps.calls.services.probes import only_model
from apps.calls.services.templates import seed_templates
from rubricstudio.local import paths


def seed_models(environment: Mapping[str, str] | None = None) -> ModelEndpoint | None:
    """Templates, and the endpoint and roles that the environment names; None when it names none.

    The model is LLM_MODEL, else the only one that the server has. Raises `Blocked` when it has to
    ask the server and gets no answer.
    """
    named = paths.model_environment() if environment is None else environment
    seed_templates()
    endpoint = seed_endpoint(named)
    if endpoint is not None:
        seed_roles(endpoint, model=named.get("LLM_MODEL") or only_model(endpoint))
    return endpoint
