from django.urls import path

from apps.rollouts import views

app_name = "rollouts"
# The list and the groups read later steps, so apps.studio has them (rubricstudio/urls.py).
urlpatterns = [
    path("<int:number>/", views.show_rollout, name="detail"),
    path("<int:number>/text/", views.raw_rollout, name="raw"),
    path("import/", views.import_rollouts, name="import"),
    path("import/<uuid:upload>/", views.upload, name="upload"),
    path("import/<uuid:upload>/check/", views.check_upload, name="check"),
    path("import/<uuid:upload>/commit/", views.commit_upload, name="commit"),
    path("import/<uuid:upload>/state/", views.upload_state, name="upload_state"),
]
