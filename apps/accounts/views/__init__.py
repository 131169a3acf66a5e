"""Pages about people and projects: coming in, the settings of a project, drafts of forms."""

from apps.accounts.views.drafts import draft
from apps.accounts.views.entry import invitation, sign_in, sign_in_link, sign_out
from apps.accounts.views.general import save_settings, settings

__all__ = [
    "draft",
    "invitation",
    "save_settings",
    "settings",
    "sign_in",
    "sign_in_link",
    "sign_out",
]
