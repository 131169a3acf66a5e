from django.urls import path

from apps.prompts import views

app_name = "prompts"
urlpatterns = [
    path("", views.list_prompts, name="list"),
]
