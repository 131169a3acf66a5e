"""Writes over several steps: a project as a file, its copy, its end."""

from apps.studio.services.carrying import carry
from apps.studio.services.deleting import KIND as DELETING
from apps.studio.services.deleting import do_deletion, purge_project, start_deletion
from apps.studio.services.moving import do_copy, do_import, start_copy, start_import
from apps.studio.services.transfer import (
    Imported,
    ProjectFile,
    copy_project,
    export_project,
    export_to,
    import_project,
)

__all__ = [
    "DELETING",
    "Imported",
    "ProjectFile",
    "carry",
    "copy_project",
    "do_copy",
    "do_deletion",
    "do_import",
    "export_project",
    "export_to",
    "import_project",
    "purge_project",
    "start_copy",
    "start_deletion",
    "start_import",
]
