"""The Celery application: started by workers, shared with the web processes (workers/apps.py)."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rubricstudio.settings.dev")

from workers import beat, queues
from workers.heartbeat import Heartbeat

app = Celery("rubricstudio")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(queues.configuration(app.conf.broker_url), **beat.configuration())
app.autodiscover_tasks()
app.steps["consumer"].add(Heartbeat)
