from django.urls import path

from apps.accounts import views

app_name = "accounts"
urlpatterns = [
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-in/link/<str:token>/", views.sign_in_link, name="sign_in_link"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("p/<slug:slug>/settings/", views.settings, name="settings"),
    path("invitations/<str:token>/", views.invitation, name="invitation"),
]
