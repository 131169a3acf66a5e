"""Model endpoints, template versions and texts that a project brings along from elsewhere.

Those of the installation are found again where they are the same; what is not there is kept so
that calls can still be told and rebuilt, and changes nothing for anybody else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import Project, User
from apps.activity.errors import BadInput
from apps.calls.models import ModelEndpoint, Template, TemplateVersion
from apps.calls.services.texts import TextRow, compressed, put_texts, text_hash
from rubricstudio.core.canonical import sha256_hex

CARRIED = (
    "backend",
    "is_embedded",
    "max_in_flight",
    "timeout_seconds",
    "sorts_by_priority",
    "prices",
    "probe",
)


def adopt_endpoint(*, project: Project, described: Mapping[str, Any]) -> int:
    """The id of the endpoint: the project's own, made anew without its key, or one of the
    installation with the same name, else a switched-off stand-in of the project.
    """
    values = {name: described[name] for name in CARRIED}
    if described["own"]:
        url = described["url"]
        return _own(project, described["name"], url=url, **values).pk
    same = {name: described[name] for name in ("name", "backend", "is_embedded")}
    found = ModelEndpoint.objects.filter(project=None, **same).first()
    if found is not None:
        return found.pk
    stand_in = _own(project, described["name"], url="", disabled_at=timezone.now(), **values)
    return stand_in.pk


def _own(project: Project, name: str, **values: Any) -> ModelEndpoint:
    taken = set(ModelEndpoint.objects.filter(project=project).values_list("name", flat=True))
    names = [name, *(f"{name[:50]}-{number}" for number in range(2, len(taken) + 3))]
    free = next(one for one in names if one not in taken)
    return ModelEndpoint.objects.create(project=project, name=free, **values)


def adopt_template_version(*, project: Project, described: Mapping[str, Any]) -> int:
    """The id of the version: the project's own under its number, else the installation's with the
    same text. Raises BadInput where the text is not the one that its hash names.
    """
    name, text, sha256 = described["name"], described["text"], described["sha256"]
    if sha256_hex(text.encode()) != sha256:
        raise BadInput(
            _("The template %(name)s is not the text that its hash names.") % {"name": name}
        )
    owner = project if described["own"] else None
    template, _created = Template.objects.get_or_create(project=owner, name=name)
    found = template.versions.filter(sha256=sha256).first()
    if found is not None:
        return found.pk
    newest = template.versions.aggregate(newest=Max("version"))["newest"] or 0
    version = TemplateVersion(
        template=template,
        version=described["version"] if owner else newest + 1,
        text=text,
        sha256=sha256,
        parent=template.versions.filter(version=newest).first(),
        author=User.objects.filter(username=described["author"] or "").first(),
        reason=described["reason"],
    )
    version.save(force_insert=True)
    return version.pk


def adopt_texts(*, project: Project, rows: Iterable[Mapping[str, Any]]) -> None:
    """Texts that calls of the project lean on; one without its text was dropped where it was.

    Raises BadInput where a text is not the one that its hash names: it is shared by all projects.
    """
    put_texts(_text_row(project, row) for row in rows)


def _text_row(project: Project, row: Mapping[str, Any]) -> TextRow:
    sha256, text = str(row["sha256"]), row["text"]
    if text is not None and text_hash(text) != sha256:
        raise BadInput(_("The text %(sha256)s is not the one that its hash names.") % row)
    data = None if text is None else compressed(text)
    used_at = datetime.fromisoformat(row["used_at"])
    return TextRow(sha256, int(row["characters"]), data, project.pk, used_at)
