from django.urls import path

from apps.prompts import views

app_name = "prompts"
urlpatterns = [
    path("", views.list_prompts, name="list"),
    path("<int:number>/", views.detail, name="detail"),
    path("<int:number>/text/", views.whole_text, name="text"),
    path("import/", views.import_prompts, name="import"),
    path("import/<uuid:upload>/", views.upload, name="upload"),
    path("import/<uuid:upload>/check/", views.check_upload, name="check"),
    path("import/<uuid:upload>/commit/", views.commit_upload, name="commit"),
    path("import/<uuid:upload>/state/", views.upload_state, name="upload_state"),
    path("imports/<int:number>/", views.source, name="source"),
    path("imports/<int:number>/rejects.csv", views.rejects, name="rejects"),
]
