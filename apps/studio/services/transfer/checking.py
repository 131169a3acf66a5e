"""Whether specs and bundles that came in by a file are what their ids name."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from django.db import connection
from django.utils.translation import gettext as _

from apps.accounts.models import Project
from apps.activity.errors import BadInput
from apps.bundles.models import Bundle
from apps.bundles.services import export_bundle
from apps.specs.models import Spec
from apps.studio.services.transfer.plan import Plan, rows_of
from rubricstudio.core.bundle import verify_bundle

FORGED = """
SELECT spec_id FROM specs_spec
WHERE {mine} AND spec_id <> encode(sha256(convert_to(line, 'UTF8')), 'hex') LIMIT 1
"""


def check_specs(project: Project) -> None:
    """Raises BadInput where a spec_id is not the hash of its line."""
    table = Plan().table_of(Spec)
    assert table is not None  # noqa: S101 - it is among the tables
    with connection.cursor() as cursor:
        cursor.execute(FORGED.format(mine=rows_of(table, project)))
        forged = cursor.fetchone()
    if forged is not None:
        raise BadInput(
            _("The spec %(spec_id)s is not what its id names: the file was changed.")
            % {"spec_id": forged[0]}
        )


def check_bundles(project: Project) -> None:
    """Raises BadInput where a bundle is not byte for byte the one that its id names."""
    for bundle in Bundle.objects.filter(project=project).order_by("number"):
        _check_paths(bundle)
        with TemporaryDirectory() as place:
            folder = Path(place) / "bundle"
            export_bundle(bundle=bundle, folder=folder)
            found = verify_bundle(folder, expected_id=bundle.bundle_id)
        if not found.ok:
            problem = found.problems[0]
            raise BadInput(
                _("The bundle %(bundle)s is not the one that its id names: %(path)s: %(why)s")
                % {"bundle": bundle, "path": problem.path, "why": problem.sentence}
            )


def _check_paths(bundle: Bundle) -> None:
    """A path comes from a file, and must not lead out of the folder that it is written to."""
    for path in bundle.files.values_list("path", flat=True):
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            raise BadInput(
                _("The bundle %(bundle)s has the file %(path)r, which lies outside of it.")
                % {"bundle": bundle, "path": path}
            )
