"""Every address: the pages of each app, the API, and what is said when something is not there."""

from django.urls import include, path

from apps.rollouts import urls as rollouts
from apps.studio import urls as studio
from rubricstudio.api import api

ROLLOUTS = [*rollouts.urlpatterns, *studio.rollout_pages]

urlpatterns = [
    path("", include("apps.studio.urls")),
    path("", include("apps.accounts.urls")),
    path("", include("apps.calls.urls")),
    path("p/<slug:slug>/prompts/", include("apps.prompts.urls")),
    path("p/<slug:slug>/specs/", include("apps.specs.urls")),
    path("p/<slug:slug>/rollouts/", include((ROLLOUTS, rollouts.app_name))),
    path("p/<slug:slug>/runs/", include("apps.judging.urls")),
    path("p/<slug:slug>/rewards/", include("apps.rewards.urls")),
    path("p/<slug:slug>/bundles/", include("apps.bundles.urls")),
    path("api/v1/", api.urls),
]

handler400 = "apps.studio.views.bad_request"
handler403 = "apps.studio.views.forbidden"
handler404 = "apps.studio.views.not_found"
handler500 = "apps.studio.views.server_error"
