"""Pages over several steps, and the pages that say what went wrong."""

from apps.studio.views.audit import audit, check_trail, event
from apps.studio.views.background import cancel_job, jobs, repeat_job, resume_job
from apps.studio.views.components import components
from apps.studio.views.demo import restore_demo
from apps.studio.views.errors import bad_request, forbidden, not_found, problem, server_error
from apps.studio.views.help import help_page, theme
from apps.studio.views.jumping import jump
from apps.studio.views.life import (
    archive,
    copy,
    danger,
    delete,
    empty_again,
    export,
    import_project,
    unarchive,
)
from apps.studio.views.pages import health, healthz, home, projects
from apps.studio.views.project import overview, since

__all__ = [
    "archive",
    "audit",
    "bad_request",
    "cancel_job",
    "check_trail",
    "components",
    "copy",
    "danger",
    "delete",
    "empty_again",
    "event",
    "export",
    "forbidden",
    "health",
    "healthz",
    "help_page",
    "home",
    "import_project",
    "jobs",
    "jump",
    "not_found",
    "overview",
    "problem",
    "projects",
    "repeat_job",
    "restore_demo",
    "resume_job",
    "server_error",
    "since",
    "theme",
    "unarchive",
]
