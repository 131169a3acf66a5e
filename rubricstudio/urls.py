"""Every address: the API, and the pages of each app."""

from django.urls import path

from rubricstudio.api import api

urlpatterns = [
    path("api/v1/", api.urls),
]
