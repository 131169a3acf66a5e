"""The templates that requests are made from: shipped ones as rows, a project's own over them."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts.models import Project
from apps.activity.errors import Conflict
from apps.calls.models import Template, TemplateVersion
from rubricstudio.llm.render import Template as TemplateText
from rubricstudio.llm.render import shipped_templates

TemplateName = tuple[str, str]
"""A template's name and the sha256 of its text, which together name one version."""


@transaction.atomic
def seed_templates() -> int:
    """Give every shipped text a version; how many were new.

    A text that is there already, in whatever version, stays the row it is.
    """
    shipped = shipped_templates().values()
    known = set(version_ids((one.name, one.sha256) for one in shipped))
    new = [one for one in shipped if (one.name, one.sha256) not in known]
    return sum(_add_version(one) for one in new)


def _add_version(shipped: TemplateText) -> bool:
    Template.objects.get_or_create(project=None, name=shipped.name)
    # Two processes may start at once: the second waits here and finds the version there.
    template = Template.objects.select_for_update().get(project=None, name=shipped.name)
    newest = template.versions.order_by("-version").first()
    _row, created = TemplateVersion.objects.get_or_create(
        template=template,
        sha256=shipped.sha256,
        defaults={
            "version": newest.version + 1 if newest else 1,
            "text": shipped.text,
            "parent": newest,
            "reason": _("Shipped with the application"),
        },
    )
    return created


def templates_for(project: Project | None) -> dict[str, TemplateText]:
    """Every template by name: the shipped text, or the newest of the project's own."""
    own = TemplateVersion.objects.filter(template__project=project).order_by("version")
    texts = dict(shipped_templates())
    if project is not None:
        rows = own.values_list("template__name", "text")
        texts.update({name: TemplateText(name, text) for name, text in rows})
    return texts


def version_ids(names: Iterable[TemplateName]) -> dict[TemplateName, int]:
    """The rows of some template texts; equal texts under one name are one row per project."""
    wanted = set(names)
    rows = TemplateVersion.objects.filter(sha256__in={sha256 for _name, sha256 in wanted})
    found = rows.order_by("-id").values_list("template__name", "sha256", "id")
    return {(name, sha256): pk for name, sha256, pk in found if (name, sha256) in wanted}


def known_version_ids(names: Iterable[TemplateName]) -> dict[TemplateName, int]:
    """As `version_ids`, for calls that were made: shipped texts are seeded where that was left out.

    Raises `Conflict` for a text that nobody stored.
    """
    wanted = set(names)
    found = version_ids(wanted)
    if len(found) < len(wanted):
        seed_templates()
        found = version_ids(wanted)
    if missing := sorted(wanted - set(found)):
        name, sha256 = missing[0]
        raise Conflict(
            _("The template %(name)s has no version with the hash %(sha256)s.")
            % {"name": name, "sha256": sha256}
        )
    return found
