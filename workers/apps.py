from django.apps import AppConfig


class WorkersConfig(AppConfig):
    name = "workers"

    def ready(self) -> None:
        # Web processes enqueue through this application; without the import tasks would go to a
        # default one that knows no broker.
        from workers.celery import app

        app.set_default()
