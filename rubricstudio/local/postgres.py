"""A PostgreSQL cluster in a folder: made, started and stopped with nothing but its own programs.

It listens on a Unix socket only, in a folder that nobody else may enter, and trusts whoever gets
there.
"""

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rubricstudio.local import paths, processes
from rubricstudio.local.binaries import Binaries, find_binaries
from rubricstudio.local.errors import DatabaseError, OtherMajorError
from rubricstudio.local.identity import Identity, choose_identity

ROOM_FOR_A_NEW_CLUSTER = 300 * 1024**2
ROOM_TO_START = 100 * 1024**2
START_SECONDS = 60.0
STOP_AT_ONCE = (processes.Step(signal.SIGQUIT, 3.0),)
STOP_FAST = (processes.Step(signal.SIGINT, 7.0), *STOP_AT_ONCE)
BUILTIN_LOCALES_SINCE = 17
# Only for clusters that are thrown away: nothing survives a crash of the machine.
UNSAFE_AND_FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@dataclass(frozen=True)
class Cluster:
    """Where a cluster lies and how it runs."""

    data: Path
    folder: Path
    sockets: Path
    log: Path
    binaries: Binaries
    identity: Identity
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def major(self) -> int | None:
        """The major version that wrote the folder; None when there is no cluster yet."""
        try:
            return int((self.folder / "PG_VERSION").read_text())
        except FileNotFoundError:
            return None

    def prepare(self) -> None:
        """Make the cluster if there is none; refuse another major version and a full disk."""
        if self.major is None:
            check_room(self.data, needed=ROOM_FOR_A_NEW_CLUSTER)
            self._initialise()
        elif self.major != self.binaries.major:
            raise OtherMajorError(_other_major(self))
        check_room(self.data, needed=ROOM_TO_START)

    def start(self) -> subprocess.Popen[bytes]:
        """Start the postmaster and wait until it accepts connections.

        The kernel has it shut down cleanly (SIGINT) when the process that started it dies.
        """
        end_predecessor(self.folder)
        paths.private_dir(self.sockets)
        self.identity.own(self.sockets, data=self.data)
        already_logged = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            process: subprocess.Popen[bytes] = subprocess.Popen(
                [*self.identity.prefix, self.binaries.path("postgres"), *self._options()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=processes.dies_with_parent(signal.SIGINT),
                **self._surroundings(),
            )
        self._await_ready(process, already_logged)
        return process

    def _options(self) -> list[str]:
        settings = {
            "listen_addresses": "",
            "port": str(paths.SOCKET_PORT),
            "unix_socket_directories": str(self.sockets),
            "unix_socket_permissions": "0700",
            "max_connections": "100",
            "timezone": "UTC",
            "log_timezone": "UTC",
            "log_line_prefix": "%m [%p] ",
            **self.settings,
        }
        return ["-D", str(self.folder), *(f"--{name}={value}" for name, value in settings.items())]

    def _surroundings(self) -> dict[str, Any]:
        environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
        return {
            "env": environment,
            "cwd": "/",
            "start_new_session": True,
            **self.identity.popen_arguments(),
        }

    def _await_ready(self, process: subprocess.Popen[bytes], already_logged: int) -> None:
        def has_settled() -> bool:
            return process.poll() is not None or _is_ready(self.folder, process.pid)

        settled = processes.wait_until(has_settled, seconds=START_SECONDS)
        if process.poll() is not None or not settled:
            stop(process)
            raise DatabaseError(self._why_not(already_logged))

    def _why_not(self, already_logged: int) -> str:
        with self.log.open("rb") as log:
            log.seek(already_logged)
            text = log.read().decode(errors="replace")
        if "No space left on device" in text:
            return _no_room(self.data, free=0, needed=ROOM_TO_START)
        fatal = [line for line in text.splitlines() if "FATAL" in line or "PANIC" in line]
        reason = fatal[-1].partition("] ")[2] if fatal else "it gave no reason"
        return f"PostgreSQL did not start ({reason}); its log is {self.log}."

    def _initialise(self) -> None:
        """Make the cluster aside and move it into place, so that a half-made one is never used."""
        unfinished = self.folder.with_name(self.folder.name + ".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        paths.private_dir(unfinished)
        self.identity.own(unfinished, data=self.data)
        locale = ["--locale=C.UTF-8", "--encoding=UTF8"]
        if self.binaries.major >= BUILTIN_LOCALES_SINCE:
            # The server's own rules: order and case are the same on every machine.
            locale += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        sync = ["--no-sync"] if self.settings.get("fsync") == "off" else []
        user = f"--username={paths.DATABASE_USER}"
        self._run("initdb", "-D", str(unfinished), user, "--auth=trust", *locale, *sync)
        create = f"CREATE DATABASE {paths.DATABASE_NAME};\n"
        self._run("postgres", "--single", "-D", str(unfinished), "postgres", given=create)
        unfinished.rename(self.folder)

    def _run(self, program: str, *arguments: str, given: str = "") -> None:
        answer = subprocess.run(
            [*self.identity.prefix, self.binaries.path(program), *arguments],
            input=given.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **self._surroundings(),
        )
        with self.log.open("ab") as log:
            log.write(answer.stdout)
        if answer.returncode == 0:
            return
        if b"No space left on device" in answer.stdout:
            raise DatabaseError(_no_room(self.data, free=0, needed=ROOM_FOR_A_NEW_CLUSTER))
        last = answer.stdout.decode(errors="replace").strip().rpartition("\n")[2]
        raise DatabaseError(f"PostgreSQL's {program} failed ({last}); the log is {self.log}.")


def embedded_cluster(data: Path, settings: Mapping[str, str] | None = None) -> Cluster:
    """The cluster of a data folder, with its parent folders made."""
    folder = paths.cluster_dir(data)
    paths.private_dir(folder.parent)
    binaries = find_binaries()
    return Cluster(
        data=data,
        folder=folder,
        sockets=paths.socket_dir(data),
        log=paths.log_file(data, "postgres"),
        binaries=binaries,
        identity=choose_identity(folder, data=data, binaries=binaries),
        settings=settings or {},
    )


def stop(process: subprocess.Popen[bytes], *, at_once: bool = False) -> None:
    """Stop a postmaster: fast (open transactions roll back, all is flushed) or at once."""
    processes.end(process, steps=STOP_AT_ONCE if at_once else STOP_FAST)


def end_predecessor(cluster: Path) -> None:
    """Wait for a postmaster that was left over, and remove the pid file of one that is gone.

    PostgreSQL itself only asks whether the number in the pid file is in use; after a restart of the
    machine some other process may have it, and the cluster would not start.
    """
    pid_file = cluster / "postmaster.pid"
    pid = _pid_in(pid_file)
    if pid is None or not processes.ON_LINUX:
        return
    if pid in processes.working_in(cluster):
        processes.send(pid, signal.SIGINT)
    if not processes.wait_until(lambda: not processes.working_in(cluster), seconds=START_SECONDS):
        raise DatabaseError(
            f"Another PostgreSQL (process {pid}) still serves {cluster} and does not stop; stop it."
        )
    pid_file.unlink(missing_ok=True)


def _pid_in(pid_file: Path) -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return abs(int(pid_file.read_text().splitlines()[0]))
    return None


def _is_ready(cluster: Path, pid: int) -> bool:
    """Line 1 of postmaster.pid is the process, line 8 its state."""
    with contextlib.suppress(OSError, IndexError):
        lines = (cluster / "postmaster.pid").read_text().splitlines()
        return lines[0] == str(pid) and lines[7].strip() == "ready"
    return False


def check_room(folder: Path, *, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise DatabaseError(_no_room(folder, free=free, needed=needed))


def _no_room(folder: Path, *, free: int, needed: int) -> str:
    return (
        f"The disk that holds {folder} is full ({free // 1024**2} MB free, {needed // 1024**2} MB "
        "needed): free some space, or name a folder elsewhere with RUBRICSTUDIO_DATA."
    )


def _other_major(cluster: Cluster) -> str:
    if cluster.major is not None and cluster.major > cluster.binaries.major:
        return (
            f"{cluster.data} was written by PostgreSQL {cluster.major}, newer than the "
            f"{cluster.binaries.major} of this version of Rubric Studio: use the newer version."
        )
    return (
        f"{cluster.data} was written by PostgreSQL {cluster.major} and this version of Rubric "
        f"Studio brings {cluster.binaries.major}; move the data over with: "
        f"RUBRICSTUDIO_DATA={cluster.data} python manage.py move_data"
    )
