from django.urls import path

from apps.calls import views

app_name = "calls"
models = "administration/models/"
urlpatterns = [
    path("p/<slug:slug>/settings/models/", views.project_models, name="models"),
    path(models, views.installation, name="installation"),
    path(f"{models}endpoints/new/", views.new_endpoint, name="new_endpoint"),
    path(f"{models}endpoints/<int:endpoint>/", views.endpoint, name="endpoint"),
    path(f"{models}endpoints/<int:endpoint>/probe/", views.probe, name="probe"),
    path(f"{models}endpoints/<int:endpoint>/found/", views.found, name="found"),
    path(f"{models}endpoints/<int:endpoint>/off/", views.switch_off, name="switch_off"),
    path(f"{models}endpoints/<int:endpoint>/on/", views.switch_on, name="switch_on"),
    path(f"{models}roles/<str:role>/", views.role, name="role"),
    path(f"{models}roles/<str:role>/reset/", views.reset_role, name="reset_role"),
]
