"""Whether a model server can be used, found out before anything is asked in earnest.

What was found is kept on the endpoint's row, by model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.accounts.models import Project
from apps.activity.errors import Blocked
from apps.calls.models import ModelEndpoint
from apps.calls.services.clients import RoleClient, llm_endpoint
from apps.calls.services.records import Asker, store_calls
from rubricstudio.core.types import FailureCause
from rubricstudio.llm.client import Asked, RetryRule
from rubricstudio.llm.errors import EndpointError
from rubricstudio.llm.probe import OnCanary, Probe, Word, listed_models, probe
from rubricstudio.llm.transport import Transport

# Somebody waits for the answer: a server that is starting up gets a minute.
PROBE_RETRIES = RetryRule(attempts=4, reparses=1, deadline=60.0)

MODELS_KEPT = 100
"""Names of a server's list that are shown; some servers list thousands."""
NO_MODEL = ""
"""Under this name stands what was found of a server without asking a model of it."""

ADVICE = {
    FailureCause.UNREACHABLE: gettext_lazy("Start it, or let LLM_BASE_URL name one that runs."),
    FailureCause.TRANSPORT: gettext_lazy("It breaks connections: try again, or look at its log."),
    FailureCause.TIMEOUT: gettext_lazy("It is too slow or overloaded: try again later."),
    FailureCause.RATE_LIMITED: gettext_lazy("It takes no more requests now: try again later."),
    FailureCause.SERVER_ERROR: gettext_lazy(
        "It is overloaded, still loading or broken: try again later, or look at its log."
    ),
    FailureCause.AUTH: gettext_lazy("Check LLM_API_KEY."),
    FailureCause.QUOTA: gettext_lazy("Its quota is used up."),
    FailureCause.MODEL_MISSING: gettext_lazy("Check LLM_MODEL."),
    FailureCause.HTTP: gettext_lazy("Check LLM_BASE_URL: it ends in /v1."),
    FailureCause.BAD_RESPONSE: gettext_lazy("Check LLM_BASE_URL: this is no model server."),
    FailureCause.CONSTRAINT_IGNORED: gettext_lazy("Check LLM_BACKEND."),
}


def probe_endpoint(client: RoleClient, *, project: Project | None = None) -> Probe:
    """Ask the model of a role some canned questions; raises `Blocked` with a sentence.

    Either way the endpoint's row says afterwards what was found, and the calls are kept, as those
    of the project on whose behalf it was asked.
    """
    settings = replace(client.settings, retry=PROBE_RETRIES)
    canaries: list[Asked[Word]] = []
    try:
        found = asyncio.run(_probe(replace(client, settings=settings), canaries.append))
    except EndpointError as error:
        # What was found before still says which judge it was.
        before = client.endpoint.probe.get(client.role.model, {})
        failed = {"ok": False, "cause": error.cause.value, "error": str(error)}
        _keep(client, {**before, **failed})
        raise Blocked(blocked_sentence(error.cause, str(error)), cause=error.cause.value) from error
    finally:
        _store(canaries, client.asker(project=project))
    _keep(
        client,
        {
            "ok": True,
            "models": list(found.models[:MODELS_KEPT]),
            "context_length": found.context_length,
            "served_model": found.served_model,
            "server_version": found.server_version,
            "chat_template_sha256": found.chat_template_sha256,
            "output_mode": found.mode.value,
            "probabilities": found.probabilities,
            "thinks": found.thinks,
        },
    )
    return found


def list_models(endpoint: ModelEndpoint) -> tuple[str, ...]:
    """The models that a server lists; raises `Blocked`. The endpoint's row says what was found."""
    try:
        names = asyncio.run(_listed(endpoint))
    except EndpointError as error:
        failed = {"ok": False, "cause": error.cause.value, "error": str(error)}
        _keep_found(endpoint, NO_MODEL, failed)
        raise Blocked(blocked_sentence(error.cause, str(error)), cause=error.cause.value) from error
    _keep_found(endpoint, NO_MODEL, {"ok": True, "models": list(names[:MODELS_KEPT])})
    return names


def only_model(endpoint: ModelEndpoint) -> str:
    """The model of a server that serves a single one; raises `Blocked` naming its models."""
    names = list_models(endpoint)
    if len(names) == 1:
        return names[0]
    raise Blocked(
        _("Set LLM_MODEL to one of the models that %(url)s serves: %(names)s.")
        % {"url": endpoint.url, "names": ", ".join(names) or _("it names none")}
    )


def blocked_sentence(cause: FailureCause, detail: str) -> str:
    """What is wrong with a model server, and what to do about it."""
    told = _("The model server cannot be used: %(detail)s.") % {"detail": detail.rstrip(". ")}
    advice = ADVICE.get(cause)
    return f"{told} {advice}" if advice else told


async def _probe(client: RoleClient, on_canary: OnCanary) -> Probe:
    async with client.limiter(want=1) as limiter, client.model(limiter) as model:
        return await probe(model, on_canary=on_canary)


async def _listed(endpoint: ModelEndpoint) -> tuple[str, ...]:
    async with Transport(llm_endpoint(endpoint)) as transport:
        return await listed_models(transport)


def _store(canaries: Sequence[Asked[Word]], asker: Asker) -> None:
    """Every attempt; what was read stands at the last one of each question."""
    records = [(record, one) for one in canaries for record in one.calls]
    store_calls(
        [record for record, _one in records],
        asker=asker,
        parsed=[_read(one) if record is one.calls[-1] else None for record, one in records],
    )


def _read(asked: Asked[Word]) -> dict[str, Any] | None:
    if asked.unscored is not None:
        return {"unscored": asked.unscored.value, "detail": asked.detail}
    return None if asked.value is None else asdict(asked.value)


def _keep(client: RoleClient, found: dict[str, Any]) -> None:
    _keep_found(client.endpoint, client.role.model, found)


@transaction.atomic
def _keep_found(endpoint: ModelEndpoint, model: str, found: dict[str, Any]) -> None:
    row = ModelEndpoint.objects.select_for_update(no_key=True).get(pk=endpoint.pk)
    at = timezone.now().isoformat(timespec="seconds")
    row.probe = {**row.probe, model: {**found, "at": at}}
    row.save(update_fields=["probe"])
    endpoint.probe = row.probe
