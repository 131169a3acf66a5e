from django.urls import path

from apps.accounts import views

app_name = "accounts"
settings = "p/<slug:slug>/settings/"
urlpatterns = [
    # sign-in/, sign-out/, invitations/
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-in/link/<str:token>/", views.sign_in_link, name="sign_in_link"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("invitations/<str:token>/", views.invitation, name="invitation"),
    # account/
    path("account/", views.account, name="account"),
    path("account/profile/", views.save_profile, name="save_profile"),
    path("account/password/", views.save_password, name="save_password"),
    path("account/sessions/end/", views.end_sessions, name="end_sessions"),
    # administration/
    path("administration/users/", views.users, name="users"),
    path("administration/users/new/", views.new_user, name="new_user"),
    path("administration/users/<int:person>/", views.user, name="user"),
    path("administration/users/<int:person>/link/", views.user_link, name="user_link"),
    path(
        "administration/users/<int:person>/deactivate/",
        views.deactivate_user,
        name="deactivate_user",
    ),
    path(
        "administration/users/<int:person>/reactivate/",
        views.reactivate_user,
        name="reactivate_user",
    ),
    path(
        "administration/users/<int:person>/make-administrator/",
        views.make_site_admin,
        name="make_site_admin",
    ),
    path(
        "administration/users/<int:person>/end-administrator/",
        views.end_site_admin,
        name="end_site_admin",
    ),
    path("administration/projects/", views.all_projects, name="all_projects"),
    # p/<slug>/settings/
    path(settings, views.settings, name="settings"),
    path(f"{settings}general/", views.save_settings, name="save_settings"),
    path(f"{settings}members/", views.members, name="members"),
    path(f"{settings}members/<int:person>/roles/", views.set_roles, name="set_roles"),
    path(f"{settings}members/<int:person>/remove/", views.remove_member, name="remove_member"),
    path(
        f"{settings}members/removals/<int:removal>/undo/",
        views.restore_member,
        name="restore_member",
    ),
    path(f"{settings}members/invite/", views.invite, name="invite"),
    path(
        f"{settings}members/invitations/<int:invitation>/revoke/",
        views.revoke_invitation,
        name="revoke_invitation",
    ),
    path(
        f"{settings}members/invitations/<int:invitation>/restore/",
        views.restore_invitation,
        name="restore_invitation",
    ),
    path(f"{settings}tokens/", views.tokens, name="tokens"),
    path(f"{settings}tokens/<int:api_token>/revoke/", views.revoke_token, name="revoke_token"),
    # p/<slug>/drafts/
    path("p/<slug:slug>/drafts/<str:key>/", views.draft, name="draft"),
]
