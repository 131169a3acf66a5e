from django.urls import path

from apps.judging import views

app_name = "judging"
urlpatterns = [
    path("", views.list_runs, name="runs"),
    path("start/", views.start_run, name="start"),
    path("<int:number>/", views.show_run, name="run"),
    path("<int:number>/pause/", views.pause_run, name="pause"),
    path("<int:number>/resume/", views.resume_run, name="resume"),
    path("<int:number>/cancel/", views.cancel_run, name="cancel"),
    path("<int:number>/retry/", views.retry_failed, name="retry"),
    path("<int:number>/verdicts/", views.list_verdicts, name="verdicts"),
    # A verdict
    path("verdicts/stale/", views.list_stale, name="stale"),
    path("verdicts/<int:pk>/", views.verdict, name="verdict"),
    path("verdicts/<int:pk>/calls/<int:attempt>/", views.call_request, name="call"),
    # Checks
    path("checks/", views.list_checks, name="checks"),
    path("checks/run/", views.run_checks, name="run_checks"),
    path("checks/<int:number>/", views.check_run, name="check_run"),
    path("checks/of-spec/<int:prompt>/", views.constraint_results, name="constraint_results"),
    path("checks/outcomes/<int:outcome>/", views.outcome, name="outcome"),
]
