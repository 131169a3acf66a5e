"""Reads: which model plays a role, what was asked, what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum

from apps.accounts.models import Project
from apps.activity.models import Job
from apps.calls.models import Call, ModelEndpoint, ModelRole, TemplateVersion

PER_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Usage:
    """What was asked of one endpoint in one role.

    `cost` is in the endpoint's currency; None where its prices are not known.
    """

    endpoint: str
    role: str
    calls: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    cost: float | None
    currency: str


def role_for(project: Project | None, name: str) -> ModelRole | None:
    """The project's own role, else the installation's."""
    mine = Q(project__isnull=True) | Q(project=project) if project else Q(project__isnull=True)
    rows = ModelRole.objects.filter(mine, role=name).select_related("endpoint")
    return rows.order_by(F("project").asc(nulls_last=True)).first()


def usage(
    project: Project, *, job: Job | None = None, since: datetime | None = None
) -> list[Usage]:
    """Calls, tokens and cost by endpoint and role, failed attempts included."""
    calls = Call.objects.filter(project_id=project.pk)
    if job is not None:
        calls = calls.filter(job_id=job.pk)
    if since is not None:
        calls = calls.filter(at__gte=since)
    rows = (
        calls.order_by()
        .values("endpoint_id", "role")
        .annotate(
            calls=Count("id"),
            failed=Count("id", filter=~Q(error_cause="")),
            prompt=Sum("prompt_tokens", default=0),
            completion=Sum("completion_tokens", default=0),
            cached=Sum("cached_tokens", default=0),
            reasoning=Sum("reasoning_tokens", default=0),
        )
    )
    endpoints = ModelEndpoint.objects.in_bulk({row["endpoint_id"] for row in rows})
    ordered = sorted(rows, key=lambda row: (row["endpoint_id"], row["role"]))
    return [_usage(row, endpoints[row["endpoint_id"]]) for row in ordered]


def _usage(row: Mapping[str, Any], endpoint: ModelEndpoint) -> Usage:
    prompt, completion = row["prompt"], row["completion"]
    return Usage(
        endpoint=endpoint.name,
        role=row["role"],
        calls=row["calls"],
        failed=row["failed"],
        prompt_tokens=prompt,
        completion_tokens=completion,
        cached_tokens=row["cached"],
        reasoning_tokens=row["reasoning"],
        cost=_cost(endpoint, prompt, completion),
        currency=str(endpoint.prices.get("currency", "")),
    )


def _cost(endpoint: ModelEndpoint, prompt: int, completion: int) -> float | None:
    prices = endpoint.prices
    if "prompt" not in prices or "completion" not in prices:
        return None
    total = prompt * float(prices["prompt"]) + completion * float(prices["completion"])
    return total / PER_MILLION


def calls_of(project: Project, pks: Iterable[int]) -> list[Call]:
    """Calls of a project in the order they were made, without what was sent and answered."""
    calls = Call.objects.filter(project_id=project.pk, pk__in=list(pks))
    return list(calls.defer("slots", "parsed").order_by("pk"))


def find_call(project: Project, pk: int) -> Call | None:
    return Call.objects.filter(project_id=project.pk, pk=pk).first()


def template_versions(hashes: Iterable[str]) -> dict[str, TemplateVersion]:
    """The versions of templates with these sha256, without their texts."""
    found = TemplateVersion.objects.filter(sha256__in=list(hashes)).select_related("template")
    return {one.sha256: one for one in found.defer("text")}


@dataclass(frozen=True, slots=True)
class RoleLine:
    """One of the six roles, and who plays it: nobody, the installation's model, or the own one."""

    name: ModelRole.Name
    row: ModelRole | None
    own: bool

    @property
    def found(self) -> Mapping[str, Any]:
        """What the last probe found of the model; empty where none was made."""
        return self.row.endpoint.probe.get(self.row.model, {}) if self.row else {}


def role_lines(project: Project | None) -> list[RoleLine]:
    """The six roles of a project, or of the installation: one query."""
    mine = Q(project__isnull=True) | Q(project=project) if project else Q(project__isnull=True)
    rows = ModelRole.objects.filter(mine).select_related("endpoint")
    # The project's own come last and replace the installation's.
    playing = {row.role: row for row in rows.order_by(F("project").asc(nulls_first=True))}
    return [
        RoleLine(name, row, row is not None and row.project_id == (project.pk if project else None))
        for name in ModelRole.Name
        for row in [playing.get(name)]
    ]


def endpoints_of(project: Project | None) -> QuerySet[ModelEndpoint]:
    """Endpoints that a project can use, its own first; without one those of the installation."""
    mine = Q(project__isnull=True) | Q(project=project) if project else Q(project__isnull=True)
    found = ModelEndpoint.objects.filter(mine).defer("api_key_encrypted")
    return found.order_by(F("project").asc(nulls_last=True), "name")


def all_endpoints() -> QuerySet[ModelEndpoint]:
    """Every endpoint, those of the installation first, with the roles that it plays."""
    found = ModelEndpoint.objects.select_related("project").prefetch_related("roles")
    return found.order_by(F("project").asc(nulls_first=True), "name")


def last_probe_job(endpoint: ModelEndpoint) -> Job | None:
    """The newest probe that somebody asked for."""
    jobs = Job.objects.filter(kind="probe", arguments={"endpoint": endpoint.pk})
    return jobs.order_by("-pk").first()


def known_models(endpoints: Iterable[ModelEndpoint]) -> list[str]:
    """Names of models that probes have found, or that were asked."""
    names = {
        name
        for endpoint in endpoints
        for model, found in endpoint.probe.items()
        for name in (model, *found.get("models", ()))
        if name
    }
    return sorted(names)
