"""What others write through this app: imports of prompts, and the parts other imports share."""

from apps.prompts.services.importing import ImportFile, ImportResult, Tally
from apps.prompts.services.prompts import import_prompts

__all__ = ["ImportFile", "ImportResult", "Tally", "import_prompts"]
