"""Pages of rollouts that read no later step; apps.studio has the others."""

from apps.rollouts.views.imports import (
    check_upload,
    commit_upload,
    import_rollouts,
    upload,
    upload_state,
)
from apps.rollouts.views.rollouts import raw_rollout, show_rollout

__all__ = [
    "check_upload",
    "commit_upload",
    "import_rollouts",
    "raw_rollout",
    "show_rollout",
    "upload",
    "upload_state",
]
