"""What others write through this app: imports of prompts, and the parts other imports share."""

from apps.prompts.services.importing import ImportFile, ImportResult, Tally
from apps.prompts.services.intake import (
    Importer,
    carry_upload,
    change_upload,
    forget_uploads,
    save_upload,
    start_check,
    start_import,
)
from apps.prompts.services.preview import Preview, preview
from apps.prompts.services.prompts import IMPORTER, import_prompts

__all__ = [
    "IMPORTER",
    "ImportFile",
    "ImportResult",
    "Importer",
    "Preview",
    "Tally",
    "carry_upload",
    "change_upload",
    "forget_uploads",
    "import_prompts",
    "preview",
    "save_upload",
    "start_check",
    "start_import",
]
