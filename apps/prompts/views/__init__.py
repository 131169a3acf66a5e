"""Pages of prompts."""

from apps.prompts.views.imports import (
    check_upload,
    commit_upload,
    import_prompts,
    rejects,
    source,
    upload,
    upload_state,
)
from apps.prompts.views.lists import list_prompts

__all__ = [
    "check_upload",
    "commit_upload",
    "import_prompts",
    "list_prompts",
    "rejects",
    "source",
    "upload",
    "upload_state",
]
