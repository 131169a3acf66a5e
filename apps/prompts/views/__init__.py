"""Pages of prompts."""

from apps.prompts.views.detail import detail, whole_text
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
    "detail",
    "import_prompts",
    "list_prompts",
    "rejects",
    "source",
    "upload",
    "upload_state",
    "whole_text",
]
