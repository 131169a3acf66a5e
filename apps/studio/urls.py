from django.urls import path

from apps.studio import views
from apps.studio.views import cells, groups, rollouts

app_name = "studio"
# The pages of rollouts that read later steps too: mounted with those of apps.rollouts.
rollout_pages = [
    path("", groups.list_groups, name="list"),
    path("groups/<int:group>/", groups.show_group, name="group"),
    path("groups/<int:group>/without/", groups.group_without, name="without"),
    path("compare/", rollouts.compare, name="compare"),
    path("<int:number>/said/", rollouts.rollout_said, name="said"),
    # Without a slash at its end, so that the links between cells are short.
    path("groups/<int:group>/<str:cell>", cells.group_cell, name="cell"),
]
urlpatterns = [
    path("", views.home, name="home"),
    path("projects/", views.projects, name="projects"),
    path("projects/demo/", views.restore_demo, name="restore_demo"),
    path("p/<slug:slug>/", views.overview, name="overview"),
    path("p/<slug:slug>/since/", views.since, name="since"),
    path("p/<slug:slug>/audit/", views.audit, name="audit"),
    path("p/<slug:slug>/audit/check/", views.check_trail, name="check_trail"),
    path("p/<slug:slug>/audit/<int:event>/", views.event, name="event"),
    path("p/<slug:slug>/settings/danger/", views.danger, name="danger"),
    path("p/<slug:slug>/settings/danger/export/", views.export, name="export"),
    path("p/<slug:slug>/settings/danger/copy/", views.copy, name="copy"),
    path("p/<slug:slug>/settings/danger/archive/", views.archive, name="archive"),
    path("p/<slug:slug>/settings/danger/unarchive/", views.unarchive, name="unarchive"),
    path("p/<slug:slug>/settings/danger/delete/", views.delete, name="delete"),
    path("administration/projects/import/", views.import_project, name="import_project"),
    path("administration/projects/empty/<int:job>/", views.empty_again, name="empty_again"),
    path("help/", views.help_page, name="help"),
    path("help/components/", views.components, name="components"),
    path("jump/", views.jump, name="jump"),
    path("theme/", views.theme, name="theme"),
    path("jobs/", views.jobs, name="jobs"),
    path("p/<slug:slug>/jobs/<int:job>/cancel/", views.cancel_job, name="cancel_job"),
    path("p/<slug:slug>/jobs/<int:job>/resume/", views.resume_job, name="resume_job"),
    path("p/<slug:slug>/jobs/<int:job>/repeat/", views.repeat_job, name="repeat_job"),
    path("health/", views.health, name="health"),
    path("healthz", views.healthz, name="healthz"),
]
