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
    # p/<slug>/settings/
    path(settings, views.settings, name="settings"),
    path(f"{settings}general/", views.save_settings, name="save_settings"),
    # p/<slug>/drafts/
    path("p/<slug:slug>/drafts/<str:key>/", views.draft, name="draft"),
]
