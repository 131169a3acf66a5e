"""From a project and a role to something that can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from apps.accounts.models import Project
from apps.activity.errors import Blocked
from apps.calls import selectors
from apps.calls.models import ModelEndpoint, ModelRole
from apps.calls.services.encryption import api_key_of
from apps.calls.services.limiter import LeasedLimit
from apps.calls.services.records import Asker
from apps.calls.services.sampling import RoleSampling, read_sampling
from apps.calls.services.templates import templates_for
from rubricstudio.llm.client import Backend, Endpoint, Limiter, ModelSettings
from rubricstudio.llm.leaving import WayOut
from rubricstudio.llm.openai_client import OpenAIModel
from rubricstudio.llm.render import Template

UNKNOWN = "unknown"
"""Stands for the hash of a chat template that no probe has been told."""


@dataclass(frozen=True, slots=True)
class RoleClient:
    """A configured model in one role of a project, with the templates it is asked by."""

    endpoint: ModelEndpoint
    role: ModelRole
    sampling: RoleSampling
    settings: ModelSettings
    templates: Mapping[str, Template]

    def limiter(self, *, want: int) -> LeasedLimit:
        """Leased slots of the endpoint: an async context manager around all calls of one loop."""
        return LeasedLimit(self.endpoint, want=want)

    def model(self, limiter: Limiter, *, way_out: WayOut | None = None) -> OpenAIModel:
        """The model itself: an async context manager of one event loop."""
        return OpenAIModel(
            self.settings,
            limiter=limiter,
            templates=self.templates,
            most_criteria=self.sampling.most_criteria,
            way_out=way_out,
        )

    def asker(self, *, project: Project | None, job_id: int | None = None) -> Asker:
        """On whose behalf `store_calls` keeps the calls of this client."""
        return Asker(
            endpoint_id=self.endpoint.pk,
            role=self.role.role,
            project_id=project.pk if project else None,
            job_id=job_id,
        )

    def configuration(self) -> dict[str, Any]:
        """What a value made by this model depends on, but for the templates; never a key or URL."""
        found = self.endpoint.probe.get(self.role.model, {})
        return {
            "model": self.role.model,
            "weights_revision": self.role.weights_revision,
            "served_model": found.get("served_model", ""),
            "server_version": found.get("server_version", ""),
            "chat_template_sha256": found.get("chat_template_sha256") or UNKNOWN,
            "backend": self.endpoint.backend,
            "embedded": self.endpoint.is_embedded,
            "sampling": self.sampling.model_dump(mode="json"),
        }


def client_for(project: Project | None, role: str) -> RoleClient:
    """The model that plays a role: the project's own, else the installation's.

    Raises `Blocked` when there is none, and `BadInput` when its settings do not hold.
    """
    row = selectors.role_for(project, role)
    if row is None:
        raise Blocked(
            _(
                "No model is set for the role %(role)s: name a server with LLM_BASE_URL and "
                "LLM_MODEL, or enter an endpoint."
            )
            % {"role": role}
        )
    if row.endpoint.disabled_at:
        raise Blocked(
            _(
                "The endpoint %(name)s of the role %(role)s is switched off: switch it on in "
                "Administration, Models, or give the role to another one."
            )
            % {"name": row.endpoint.name, "role": role}
        )
    return client_of(row, project=project)


def client_of(row: ModelRole, *, project: Project | None) -> RoleClient:
    """The model that a role's row names, stored or not. Raises `BadInput` for its sampling."""
    sampling = read_sampling(row)
    return RoleClient(
        endpoint=row.endpoint,
        role=row,
        sampling=sampling,
        settings=ModelSettings(
            endpoint=llm_endpoint(row.endpoint),
            model=row.model,
            sampling=sampling.for_client(),
            thinking=sampling.thinking,
            output=sampling.output_mode,
        ),
        templates=templates_for(project),
    )


def llm_endpoint(endpoint: ModelEndpoint) -> Endpoint:
    """The row as the value that rubricstudio.llm is configured with."""
    return Endpoint(
        base_url=endpoint.url,
        backend=Backend(endpoint.backend),
        api_key=api_key_of(endpoint),
        sorts_by_priority=endpoint.sorts_by_priority,
        timeout=float(endpoint.timeout_seconds),
    )
