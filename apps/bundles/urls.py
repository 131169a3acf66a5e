from django.urls import path

from apps.bundles import views

app_name = "bundles"
urlpatterns = [
    path("", views.list_bundles, name="list"),
    path("freeze/", views.freeze, name="freeze"),
    path("freeze/approve/", views.approve, name="approve"),
    path("<int:number>/", views.show_bundle, name="detail"),
    path("<int:number>/since/", views.since, name="since"),
    path("<int:number>/since/<str:part>/", views.changes, name="changes"),
    path("<int:number>/retract/", views.retract, name="retract"),
    path("<int:number>/bundle.tar", views.as_tar, name="tar"),
    path("<int:number>/bundle.zip", views.as_zip, name="zip"),
]
