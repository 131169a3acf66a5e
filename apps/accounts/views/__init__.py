"""Pages about people and projects: coming in, the settings of a project, drafts of forms."""

from apps.accounts.views.drafts import draft
from apps.accounts.views.entry import invitation, sign_in, sign_in_link, sign_out
from apps.accounts.views.general import save_settings, settings
from apps.accounts.views.members import (
    invite,
    members,
    remove_member,
    restore_invitation,
    restore_member,
    revoke_invitation,
    set_roles,
)
from apps.accounts.views.tokens import revoke_token, tokens

__all__ = [
    "draft",
    "invitation",
    "invite",
    "members",
    "remove_member",
    "restore_invitation",
    "restore_member",
    "revoke_invitation",
    "revoke_token",
    "save_settings",
    "set_roles",
    "settings",
    "sign_in",
    "sign_in_link",
    "sign_out",
    "tokens",
]
