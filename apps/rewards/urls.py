from django.urls import path

from apps.rewards import views

app_name = "rewards"
urlpatterns = [
    path("", views.list_runs, name="runs"),
]
