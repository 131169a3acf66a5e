"""Pages about people and projects: coming in, the settings of a project, drafts of forms, one's own
account, and the administration of the installation.
"""

from apps.accounts.views.administration import (
    all_projects,
    deactivate_user,
    end_site_admin,
    make_site_admin,
    new_user,
    reactivate_user,
    user,
    user_link,
    users,
)
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
from apps.accounts.views.own import account, end_sessions, save_password, save_profile
from apps.accounts.views.tokens import revoke_token, tokens

__all__ = [
    "account",
    "all_projects",
    "deactivate_user",
    "draft",
    "end_sessions",
    "end_site_admin",
    "invitation",
    "invite",
    "make_site_admin",
    "members",
    "new_user",
    "reactivate_user",
    "remove_member",
    "restore_invitation",
    "restore_member",
    "revoke_invitation",
    "revoke_token",
    "save_password",
    "save_profile",
    "save_settings",
    "set_roles",
    "settings",
    "sign_in",
    "sign_in_link",
    "sign_out",
    "tokens",
    "user",
    "user_link",
    "users",
]
