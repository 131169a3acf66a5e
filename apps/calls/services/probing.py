"""Probing by a job, since a page waits for no model."""

from __future__ import annotations

from django.db import transaction

from apps.accounts.models import User
from apps.activity import services as activity
from apps.activity.errors import ApplicationError
from apps.activity.models import Job
from apps.calls.models import ModelEndpoint, ModelRole
from apps.calls.services.clients import client_of
from apps.calls.services.probes import list_models, probe_endpoint
from apps.calls.services.sampling import as_stored, default_sampling

KIND = "probe"
TASK = "apps.calls.tasks.probe"


@transaction.atomic
def start_probe(*, endpoint: ModelEndpoint, actor: User | None = None) -> Job:
    """A job that asks the server for its models and each model that plays a role some canned
    questions; the caller enqueues it.
    """
    return activity.create_job(
        kind=KIND,
        task=TASK,
        arguments={"endpoint": endpoint.pk},
        project=None,
        requested_by=actor,
    )


def carry_probe(*, job: Job, worker: str) -> None:
    """Probe; a job that somebody else has is left alone. What was found stands at the endpoint."""
    if not activity.start_job(job=job, worker=worker):
        return
    endpoint = ModelEndpoint.objects.get(pk=job.arguments["endpoint"])
    try:
        with activity.Beating(job):
            asked = _probe(endpoint)
    except ApplicationError as error:
        activity.fail_job(job=job, cause=error.extra.get("cause", "blocked"), error=error.message)
        return
    activity.finish_job(job=job, result={"endpoint": endpoint.name, "models": asked})


def _probe(endpoint: ModelEndpoint) -> list[str]:
    """The models that were asked: those of roles, else the only one that the server has."""
    listed = list_models(endpoint)
    roles = list(endpoint.roles.select_related("project").order_by("role"))
    if not roles and len(listed) == 1:
        roles = [_stand_in(endpoint, listed[0])]
    asked: dict[tuple[str, bool | None], ModelRole] = {}
    for role in roles:
        role.endpoint = endpoint
        client = client_of(role, project=role.project)
        key = (role.model, client.settings.thinking.switch(None))
        if key not in asked:
            asked[key] = role
            probe_endpoint(client, project=role.project)
    return sorted({model for model, _thinks in asked})


def _stand_in(endpoint: ModelEndpoint, model: str) -> ModelRole:
    """A role that nobody gave it, so that it can be asked before it plays one."""
    judge = ModelRole.Name.JUDGE
    sampling = default_sampling(judge, model=model, embedded=endpoint.is_embedded)
    return ModelRole(endpoint=endpoint, role=judge, model=model, sampling=as_stored(sampling))
