from django.urls import path

from apps.rewards import views

app_name = "rewards"
urlpatterns = [
    path("", views.list_runs, name="runs"),
    path("compute/", views.compute, name="compute"),
    path("<int:number>/", views.show_run, name="run"),
    path("<int:number>/<int:rollout>/", views.why, name="why"),
    path("configurations/", views.list_configs, name="configs"),
    path("configurations/new/", views.new_config, name="new_config"),
    path("configurations/<int:config>/", views.show_config, name="config"),
]
