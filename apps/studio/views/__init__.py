"""Pages over several steps, and the pages that say what went wrong."""

from apps.studio.views.errors import bad_request, forbidden, not_found, problem, server_error
from apps.studio.views.pages import health, healthz, home, jobs

__all__ = [
    "bad_request",
    "forbidden",
    "health",
    "healthz",
    "home",
    "jobs",
    "not_found",
    "problem",
    "server_error",
]
