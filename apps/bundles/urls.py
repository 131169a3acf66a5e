from django.urls import path

from apps.bundles import views

app_name = "bundles"
urlpatterns = [
    path("", views.list_bundles, name="list"),
]
