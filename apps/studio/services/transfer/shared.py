"""Rows that a project uses and the installation owns: model endpoints and template versions.

They are carried beside the project's own ones, those of the installation first. Where they come
in, one that the installation there has is used again; an endpoint that is not there becomes a
switched-off one of the project, without an address, so that what it cost can still be told. Keys
are never carried.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from apps.accounts.models import Project
from apps.calls import services as calls
from apps.calls.models import Call, ModelEndpoint, ModelRole, TemplateVersion
from apps.studio.services.transfer.plan import AnyModel, Plan

USED_BY = {
    ModelEndpoint: ((Call, "endpoint_id"), (ModelRole, "endpoint_id")),
    TemplateVersion: ((Call, "template_version_id"),),
}
OWN = {
    ModelEndpoint: "SELECT id FROM calls_modelendpoint WHERE project_id = {project}",
    TemplateVersion: "SELECT version.id FROM calls_templateversion AS version "
    "JOIN calls_template AS template ON template.id = version.template_id "
    "WHERE template.project_id = {project}",
}
SELECT = {
    ModelEndpoint: """
SELECT numbered.wanted AS id, row.project_id IS NOT NULL AS own, row.name,
       CASE WHEN row.project_id IS NULL THEN '' ELSE row.url END AS url, row.backend,
       row.is_embedded, row.max_in_flight, row.timeout_seconds, row.sorts_by_priority,
       row.prices, row.probe
FROM calls_modelendpoint AS row JOIN {map} AS numbered ON numbered.known = row.id
ORDER BY numbered.wanted
""",
    TemplateVersion: """
SELECT numbered.wanted AS id, template.project_id IS NOT NULL AS own, template.name, row.version,
       row.sha256, row.text, author.username AS author, row.reason, row.created_at
FROM calls_templateversion AS row JOIN {map} AS numbered ON numbered.known = row.id
JOIN calls_template AS template ON template.id = row.template_id
LEFT JOIN accounts_user AS author ON author.id = row.author_id
ORDER BY numbered.wanted
""",
}


def used(model: AnyModel, project: Project, plan: Plan) -> str:
    """The ids that the project owns or uses, with their numbers in the file."""
    own = OWN[model].format(project=project.pk)
    there = {table.model for table in plan.tables}
    asked = [
        f"SELECT {column} FROM {user._meta.db_table} WHERE project_id = {project.pk:d}"
        for user, column in USED_BY[model]
        if user in there
    ]
    ids = " UNION ".join([own, *asked])
    return (
        f"SELECT id, row_number() OVER (ORDER BY id IN ({own}), id) "
        f"FROM {model._meta.db_table} WHERE id IN ({ids})"
    )


def select(model: AnyModel, project: Project, map_name: str) -> str:
    """The rows of the numbers in a map."""
    return SELECT[model].format(map=map_name)


def adopt(model: AnyModel, project: Project, rows: Iterable[Mapping[str, Any]]) -> dict[int, int]:
    """The id of each carried row where it came in, by its number in the file."""
    take = calls.adopt_endpoint if model is ModelEndpoint else calls.adopt_template_version
    return {int(row["id"]): take(project=project, described=row) for row in rows}
