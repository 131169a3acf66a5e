"""A Celery application with one task that takes longer than anybody waits."""

import os
import time
from pathlib import Path

from celery import Celery

FOLDER = Path(os.environ.get("SLOW_APP_FOLDER", "/nonexistent"))
app = Celery("slow", broker="filesystem://")
app.conf.broker_transport_options = {
    name: str(FOLDER / "messages")
    for name in ("data_folder_in", "data_folder_out", "control_folder")
}
app.conf.worker_enable_remote_control = False


@app.task
def take_forever() -> None:
    (FOLDER / "task.pid").write_text(str(os.getpid()))
    time.sleep(600)
