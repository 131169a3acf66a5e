"""Which processes are alive; a zombie is not."""

import psutil

from rubricstudio.local import processes

PATIENCE = 90.0  # for what surely comes, on a machine that is busy with other things


def alive(pids: list[int]) -> list[int]:
    return [pid for pid in pids if _is_alive(pid)]


def _is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def all_end(pids: list[int], seconds: float = PATIENCE) -> bool:
    return processes.wait_until(lambda: not alive(pids), seconds=seconds)
