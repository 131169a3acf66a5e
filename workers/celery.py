"""The Celery application: started by workers, shared with the web processes (workers/apps.py)."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rubricstudio.settings.dev")

app = Celery("rubricstudio")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
