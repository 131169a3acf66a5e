"""Which queue a task waits in, and what the queue's transport has to know.

Long generations, judging and everything quick wait apart, so that none holds up another; a worker
may take from one queue or from all. `CELERY_BROKER_URL` chooses between pgmq (the database we have
anyway) and RabbitMQ; names and routes are the same on both.
"""

from __future__ import annotations

from typing import Any

from kombu import Exchange, Queue

DEFAULT, GENERATION, JUDGING = "default", "generation", "judging"
QUEUES = (DEFAULT, GENERATION, JUDGING)
ROUTES = {
    "apps.specs.*": {"queue": GENERATION},
    "apps.judging.*": {"queue": JUDGING},
    # Minutes of one transaction; the quick queue has a single process, which upkeep needs.
    "apps.prompts.tasks.take_long_upload": {"queue": GENERATION},
    "apps.rollouts.tasks.take_long_upload": {"queue": GENERATION},
    "apps.judging.tasks.run_checks": {"queue": GENERATION},
    "apps.studio.tasks.*": {"queue": GENERATION},
}


def configuration(broker_url: str) -> dict[str, Any]:
    """Celery's settings for the queues behind a broker."""
    return {
        "task_queues": [_queue(name) for name in QUEUES],
        "task_default_queue": DEFAULT,
        "task_routes": ROUTES,
        # On pgmq each worker's control queue would be one more to poll, and its tables would stay
        # behind after a kill. Workers are seen by their heartbeat rows instead.
        "worker_enable_remote_control": not broker_url.startswith("pgmq"),
    }


def _queue(name: str) -> Queue:
    return Queue(name, Exchange(name, type="direct"), routing_key=name)
