from django.urls import path

from apps.studio import views

app_name = "studio"
urlpatterns = [
    path("", views.home, name="home"),
    path("projects/", views.projects, name="projects"),
    path("projects/demo/", views.restore_demo, name="restore_demo"),
    path("p/<slug:slug>/", views.overview, name="overview"),
    path("p/<slug:slug>/since/", views.since, name="since"),
    path("p/<slug:slug>/audit/", views.audit, name="audit"),
    path("help/", views.help_page, name="help"),
    path("help/components/", views.components, name="components"),
    path("jump/", views.jump, name="jump"),
    path("theme/", views.theme, name="theme"),
    path("jobs/", views.jobs, name="jobs"),
    path("health/", views.health, name="health"),
    path("healthz", views.healthz, name="healthz"),
]
