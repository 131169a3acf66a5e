from __future__ import annotations

import socket
from typing import Any

from django.core.management.base import CommandParser

from apps.activity import selectors
from apps.activity.management.base import FlowCommand, Outcome


class Command(FlowCommand):
    help = "Whether a worker of this host takes tasks from the queue: exit 0 when one does."
    result_on_error = {"workers": []}

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("queue", metavar="QUEUE")

    def run(self, **options: Any) -> Outcome:
        here = f"@{socket.gethostname()}"
        taking = selectors.living_workers().filter(
            queues__contains=[options["queue"]], name__endswith=here
        )
        names = list(taking.values_list("name", flat=True))
        return Outcome({"workers": names}, complete=bool(names))
