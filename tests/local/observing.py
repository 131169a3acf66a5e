"""Which processes are alive; a zombie is not."""

import psutil

from rubricstudio.local import processes


def alive(pids: list[int]) -> list[int]:
    return [
        pid
        for pid in pids
        if psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    ]


def all_end(pids: list[int], seconds: float = 30) -> bool:
    return processes.wait_until(lambda: not alive(pids), seconds=seconds)
