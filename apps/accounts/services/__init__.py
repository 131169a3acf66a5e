"""Accounts: projects and their numbers, people and their roles, tokens, links, invitations."""

from apps.accounts.services.administration import (
    deactivate_user,
    end_site_admin,
    make_site_admin,
    reactivate_user,
)
from apps.accounts.services.archiving import (
    archive_project,
    lock_at_rest,
    unarchive_project,
)
from apps.accounts.services.attempts import forget_failed_sign_ins, sign_in_attempt
from apps.accounts.services.invitations import (
    INVITATION_IS_SPENT,
    CreatedInvitation,
    accept_invitation,
    create_invitation,
    register_and_accept,
    restore_invitation,
    revoke_invitation,
)
from apps.accounts.services.links import (
    LINK_IS_SPENT,
    CreatedLink,
    create_first_admin_link,
    create_sign_in_link,
    use_sign_in_link,
)
from apps.accounts.services.members import remove_member, restore_member, set_roles
from apps.accounts.services.own import change_password, change_profile, end_sessions
from apps.accounts.services.people import create_user, grant_role, revoke_role
from apps.accounts.services.projects import (
    allocate_numbers,
    change_project,
    change_settings,
    check_free,
    create_project,
    get_or_create_project,
)
from apps.accounts.services.tokens import (
    CreatedToken,
    authenticate_token,
    create_token,
    revoke_token,
)

__all__ = [
    "INVITATION_IS_SPENT",
    "LINK_IS_SPENT",
    "CreatedInvitation",
    "CreatedLink",
    "CreatedToken",
    "accept_invitation",
    "allocate_numbers",
    "archive_project",
    "authenticate_token",
    "change_password",
    "change_profile",
    "change_project",
    "change_settings",
    "check_free",
    "create_first_admin_link",
    "create_invitation",
    "create_project",
    "create_sign_in_link",
    "create_token",
    "create_user",
    "deactivate_user",
    "end_sessions",
    "end_site_admin",
    "forget_failed_sign_ins",
    "get_or_create_project",
    "grant_role",
    "lock_at_rest",
    "make_site_admin",
    "reactivate_user",
    "register_and_accept",
    "remove_member",
    "restore_invitation",
    "restore_member",
    "revoke_invitation",
    "revoke_role",
    "revoke_token",
    "set_roles",
    "sign_in_attempt",
    "unarchive_project",
    "use_sign_in_link",
]
