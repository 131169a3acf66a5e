from django.urls import path

from apps.specs import views

app_name = "specs"
urlpatterns = [
    path("", views.list_specs, name="list"),
    path("approve/", views.approve_some, name="approve_some"),
    path("states/", views.states, name="states"),
    path("statistics/", views.statistics, name="statistics"),
    path("statistics.csv", views.statistics_file, name="statistics_file"),
    # Making
    path("make/", views.make, name="make"),
    path("made/<int:job>/", views.making, name="making"),
    path("made/<int:job>/state/", views.making_state, name="making_state"),
    path("made/<int:job>/pause/", views.pause_making, name="pause_making"),
    path("made/<int:job>/resume/", views.resume_making, name="resume_making"),
    path("made/<int:job>/cancel/", views.cancel_making, name="cancel_making"),
    # One spec
    path("<int:prompt>/", views.detail, name="detail"),
    path("<int:prompt>/compare/", views.compare, name="compare"),
    path("<int:prompt>/line/", views.line, name="line"),
    path("<int:prompt>/part/", views.of_prompt, name="of_prompt"),
    path("calls/<int:call>/", views.call, name="call"),
    # Its constraints on the workbench
    path("<int:prompt>/workbench/", views.workbench, name="workbench"),
    path("<int:prompt>/workbench/fields/", views.constraint_fields, name="constraint_fields"),
    path("<int:prompt>/workbench/try/", views.try_response, name="try_response"),
    path("<int:prompt>/workbench/save/", views.save_constraint, name="save_constraint"),
    path("<int:prompt>/workbench/remove/", views.remove_constraint, name="remove_constraint"),
    path(
        "<int:prompt>/workbench/restore/<int:version>/",
        views.restore_constraints,
        name="restore_constraints",
    ),
    # Its review
    path("<int:prompt>/<int:version>/ask/", views.request_review, name="request_review"),
    path("<int:prompt>/<int:version>/unask/", views.withdraw_review, name="withdraw_review"),
    path("<int:prompt>/<int:version>/approve/", views.approve, name="approve"),
    path(
        "<int:prompt>/<int:version>/unapprove/", views.withdraw_approval, name="withdraw_approval"
    ),
    path("<int:prompt>/<int:version>/back/", views.send_back, name="send_back"),
]
