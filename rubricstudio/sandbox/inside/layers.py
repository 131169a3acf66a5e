"""Putting up the walls, one after the other, and saying of each how it was tried.

A wall that does not stand is reported and never passed over in silence; what that means for
generated checkers is decided outside (``rubricstudio.sandbox.ladder``).
"""

import errno
import os
import resource
import socket
from collections.abc import Callable

from rubricstudio.sandbox import limits
from rubricstudio.sandbox.inside import kernel
from rubricstudio.sandbox.inside.seccomp import MACHINES, Filter

NAMESPACES, LANDLOCK, LIMITS, SECCOMP = "namespaces", "landlock", "limits", "seccomp"

NOBODY = 65534
ALL_NAMESPACES = (
    kernel.CLONE_NEWUSER
    | kernel.CLONE_NEWNS
    | kernel.CLONE_NEWPID
    | kernel.CLONE_NEWNET
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWUTS
)
EMPTY_ROOT = b"/tmp"
"""A mount point that every system has; what is mounted there is seen by the zygote alone."""

Report = dict[str, object]


def attempt(layer: str, wall: Callable[[], str], *, skipped: bool) -> Report:
    """Put up one wall: its name, whether it stands, and how it was tried or why it failed."""
    if skipped:
        return {"layer": layer, "stands": False, "how": "left out on request"}
    try:
        return {"layer": layer, "stands": True, "how": wall()}
    except OSError as error:
        told = f"{error.strerror or error} (errno {error.errno})"
        return {"layer": layer, "stands": False, "how": told}


def leave_root() -> None:
    """As root, become nobody for good: what a checker could reach is then nobody's."""
    if os.geteuid() != 0:
        return
    try:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError:
        return  # a container that maps no nobody; root there is somebody harmless outside
    # Without this, the files in /proc that the namespaces need belong to root.
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)


def namespaces() -> str:
    """New user, mount, process, network, IPC and host name namespaces, and an empty root folder."""
    user, group = os.geteuid(), os.getegid()
    kernel.unshare(ALL_NAMESPACES)
    for name, line in (
        ("setgroups", "deny"),
        ("uid_map", f"{NOBODY} {user} 1"),
        ("gid_map", f"{NOBODY} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(line)
    quiet = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
    kernel.mount(None, b"/", None, kernel.MS_REC | kernel.MS_PRIVATE, b"")
    kernel.mount(b"tmpfs", EMPTY_ROOT, b"tmpfs", quiet, b"size=4k,nr_inodes=2,mode=0555")
    kernel.leave_root_for(EMPTY_ROOT)
    read_only = kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY
    kernel.mount(None, b"/", None, read_only | quiet, b"")
    return f"unshare of user, mount, pid, net, ipc and uts as user {user}; / is empty and read-only"


def landlock() -> str:
    """No file, no TCP, no signal to the outside, as far as the kernel's Landlock goes."""
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    version = kernel.landlock_everything()
    try:
        os.close(os.open("/", os.O_RDONLY))
    except PermissionError:
        return f"ABI {version}, no rule allows anything; opening / was refused"
    raise OSError(errno.EBADE, f"Landlock ABI {version} was set but / can still be opened")


def rlimits() -> str:
    """What a child may take of memory, files and core dumps; the rest is set in each child."""
    for kind, most in (
        (resource.RLIMIT_AS, limits.MEMORY_BYTES),
        (resource.RLIMIT_NOFILE, limits.OPEN_FILES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        resource.setrlimit(kind, (most, most))
    return f"memory {limits.MEMORY_BYTES // 2**20} MB, no file growth, {limits.OPEN_FILES} files"


def child_rlimits(seconds: int) -> None:
    """CPU seconds of this child, and no process or thread beside it."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


def seccomp() -> str:
    """Try the filter in a child of its own: what it allows works and the rest is refused."""
    machine = os.uname().machine
    if machine not in MACHINES:
        raise OSError(errno.ENOSYS, f"no filter is written for the machine {machine}")
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    child = os.fork()
    if child == 0:
        os._exit(_try(Filter(machine)))
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        raise OSError(errno.EBADE, f"the child under the filter died of {os.WTERMSIG(status)}")
    problem = os.WEXITSTATUS(status)
    if problem:
        raise OSError(problem, f"the filter does not hold: {os.strerror(problem)}")
    return f"allow-list for {machine}; open, socket, kill and fork were refused in a child"


def _try(filter_: Filter) -> int:
    """0 where the filter holds, else an errno."""
    try:
        filter_.install()
    except OSError as error:
        return error.errno or errno.EBADE
    for refused in (
        lambda: os.open("/", os.O_RDONLY),
        socket.socket,
        lambda: os.kill(os.getpid(), 0),
        os.fork,
    ):
        try:
            refused()
        except PermissionError:
            continue
        except OSError as error:
            return error.errno or errno.EBADE
        return errno.EBADE
    return 0
