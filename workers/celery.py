"""The Celery application: started by workers, shared with the web processes (workers/apps.py)."""

import os

from celery import Celery
from celery.signals import worker_process_shutdown

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rubricstudio.settings.dev")

from rubricstudio.sandbox.jail import close_shared
from workers import beat, queues
from workers.heartbeat import Heartbeat

app = Celery("rubricstudio")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(queues.configuration(app.conf.broker_url), **beat.configuration())
app.autodiscover_tasks()
app.steps["consumer"].add(Heartbeat)


@worker_process_shutdown.connect
def close_jail(**_: object) -> None:
    """A process that ends in order takes its zygote along; that of a killed one dies by itself."""
    close_shared()
