from django.urls import path

from apps.specs import views

app_name = "specs"
urlpatterns = [
    path("", views.list_specs, name="list"),
]
