"""A project as a file: taken out whole, brought in whole, and its copy."""

from apps.studio.services.transfer.copying import copy_project
from apps.studio.services.transfer.exporting import export_project, export_to
from apps.studio.services.transfer.importing import Imported, import_project
from apps.studio.services.transfer.zipped import ProjectFile

__all__ = [
    "Imported",
    "ProjectFile",
    "copy_project",
    "export_project",
    "export_to",
    "import_project",
]
