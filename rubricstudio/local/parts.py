"""What `up` keeps running beside the database and the model: workers, beat and the web server."""

import os
import sys

from rubricstudio.local.supervisor import Part

HOST = "127.0.0.1"
BLOCKING_THREADS = 8
QUICK_PROCESSES = 1
WORKERS = 2  # as /healthz counts them when all parts run


def first_parts(*, port: int) -> list[Part]:
    """What people wait for; each part loads the whole application, so fewer at once are faster."""
    return [worker(), web(port)]


def further_parts() -> list[Part]:
    """What may come a moment later: tasks for them wait in the queue."""
    return [judging_worker(), beat()]


def worker() -> Part:
    """Quick tasks have a worker of their own, so that no judging run holds them up."""
    return _celery_worker("worker", queues="default", processes=QUICK_PROCESSES)


def judging_worker() -> Part:
    return _celery_worker("judging", queues="generation,judging", processes=_cores())


def beat() -> Part:
    return Part("beat", (*_celery(), "beat", "--pidfile=", "--loglevel=WARNING"))


def web(port: int) -> Part:
    command = [
        *(sys.executable, "-m", "granian", "--interface", "wsgi"),
        *("--host", HOST, "--port", str(port), "--workers", "1"),
        *("--blocking-threads", str(BLOCKING_THREADS), "--respawn-failed-workers"),
        *("--workers-kill-timeout", "5", "rubricstudio.wsgi:application"),
    ]
    return Part("web", tuple(command))


def _celery() -> tuple[str, ...]:
    return (sys.executable, "-m", "celery", "--app", "workers.celery")


def _celery_worker(name: str, *, queues: str, processes: int) -> Part:
    options = ["--pool", "prefork", "--concurrency", str(processes), "--queues", queues]
    # Workers are seen by their rows; talk among themselves would fill the queue's tables.
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    options += ["--hostname", f"{name}@%h", "--loglevel", "INFO"]
    return Part(name, (*_celery(), "worker", *options, *quiet))


def _cores() -> int:
    return max(2, os.cpu_count() or 2)
