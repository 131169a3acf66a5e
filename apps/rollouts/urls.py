from django.urls import path

from apps.rollouts import views

app_name = "rollouts"
# The list and the groups read later steps, so apps.studio has them (rubricstudio/urls.py).
urlpatterns = [
    path("<int:number>/", views.show_rollout, name="detail"),
    path("<int:number>/text/", views.raw_rollout, name="raw"),
]
