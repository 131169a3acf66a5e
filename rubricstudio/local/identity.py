"""As whom PostgreSQL runs: it refuses to run as root, and root must need no extra system user.

Root enters a user namespace in which it has another number: files stay root's own, and nothing is
added to the system. Where namespaces are forbidden the user nobody takes over, if it can reach the
files. Whoever is not root runs PostgreSQL directly.
"""

import os
import pwd
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rubricstudio.local.binaries import Binaries
from rubricstudio.local.errors import DatabaseError

IN_A_NAMESPACE = ("unshare", "--user", "--map-user=1000", "--map-group=1000", "--")


@dataclass(frozen=True)
class Identity:
    """``prefix`` goes before each command; ``uid`` and ``gid`` are taken on when not None."""

    prefix: tuple[str, ...] = ()
    uid: int | None = None
    gid: int | None = None

    def popen_arguments(self) -> dict[str, Any]:
        if self.uid is None:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, folder: Path, *, data: Path) -> None:
        """Hand a folder over; its parents within the data folder let this identity pass."""
        if self.uid is None or self.gid is None:
            return
        os.chown(folder, self.uid, self.gid)
        for parent in folder.parents:
            if not parent.is_relative_to(data):
                break
            parent.chmod(stat.S_IMODE(parent.stat().st_mode) | 0o011)

    def can_run(self, *command: str) -> bool:
        try:
            answer = subprocess.run(
                [*self.prefix, *command],
                capture_output=True,
                cwd="/",
                timeout=30,
                **self.popen_arguments(),
            )
        except (OSError, subprocess.SubprocessError):
            return False
        return answer.returncode == 0


def choose_identity(cluster: Path, *, data: Path, binaries: Binaries) -> Identity:
    """Who may serve a cluster; an existing one is served by its owner."""
    if os.geteuid() != 0:
        return Identity()
    if cluster.exists() and (owner := cluster.stat()).st_uid != 0:
        return Identity(uid=owner.st_uid, gid=owner.st_gid)  # made where namespaces were forbidden
    namespace = Identity(prefix=IN_A_NAMESPACE)
    if namespace.can_run("true"):
        return namespace
    if cluster.exists():
        raise DatabaseError(_forbidden(f"{cluster} belongs to root"))
    return _nobody(data, binaries=binaries)


def _nobody(data: Path, *, binaries: Binaries) -> Identity:
    account = pwd.getpwnam("nobody")
    nobody = Identity(uid=account.pw_uid, gid=account.pw_gid)
    program = binaries.path("postgres")
    if not nobody.can_run(program, "--version"):
        raise DatabaseError(_forbidden(f"the user nobody cannot run {program}"))
    if not nobody.can_run("test", "-x", str(data.parent)):
        raise DatabaseError(_forbidden(f"the user nobody cannot enter {data.parent}"))
    return nobody


def _forbidden(reason: str) -> str:
    return (
        "PostgreSQL does not run as root, this machine forbids user namespaces and "
        f"{reason}: start as an ordinary user, name a running server with DATABASE_URL, or allow "
        "user namespaces (sysctl -w user.max_user_namespaces=10000; in Docker: --security-opt "
        "seccomp=unconfined)."
    )
