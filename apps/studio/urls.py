from django.urls import path

from apps.studio import views

app_name = "studio"
urlpatterns = [
    path("", views.home, name="home"),
    path("jobs/", views.jobs, name="jobs"),
    path("health/", views.health, name="health"),
    path("healthz", views.healthz, name="healthz"),
]
