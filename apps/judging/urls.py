from django.urls import path

from apps.judging import views

app_name = "judging"
urlpatterns = [
    path("", views.list_runs, name="runs"),
]
