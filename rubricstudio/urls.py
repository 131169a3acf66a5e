"""Every address: the pages of each app, the API, and what is said when something is not there."""

from django.urls import include, path

from rubricstudio.api import api

urlpatterns = [
    path("", include("apps.studio.urls")),
    path("", include("apps.accounts.urls")),
    path("api/v1/", api.urls),
]

handler400 = "apps.studio.views.bad_request"
handler403 = "apps.studio.views.forbidden"
handler404 = "apps.studio.views.not_found"
handler500 = "apps.studio.views.server_error"
