"""Pages about people and projects: coming in, the settings of a project."""

from apps.accounts.views.entry import invitation, settings, sign_in, sign_in_link, sign_out

__all__ = ["invitation", "settings", "sign_in", "sign_in_link", "sign_out"]
