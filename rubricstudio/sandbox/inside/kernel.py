"""The few calls of the Linux kernel that Python 3.11 does not offer itself, through ctypes.

Each raises OSError with the errno and the name of the call that failed.
"""

import ctypes
import os

LIBC = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 0x1, 0x2, 0x4, 0x8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 0x20, 0x1000, 0x4000, 0x40000
MNT_DETACH = 2

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = 1, 4, 38, 22
SECCOMP_MODE_FILTER = 2

# The machine-dependent numbers; those of Landlock are the same everywhere.
NUMBERS = {
    "x86_64": {"pivot_root": 155, "capset": 126},
    "aarch64": {"pivot_root": 41, "capset": 91},
}
LANDLOCK_CREATE_RULESET, LANDLOCK_RESTRICT_SELF = 444, 446
LANDLOCK_VERSION = 1
# How many rights of each kind an ABI version knows, from the kernel's documentation.
LANDLOCK_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
LANDLOCK_NET_RIGHTS, LANDLOCK_SCOPES = 0b11, 0b11

CAPABILITY_VERSION_3 = 0x20080522


def _checked(name: str, result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def prctl(option: int, value: int, pointer: object = 0) -> None:
    """prctl(2) with up to two arguments."""
    last = pointer if pointer else ctypes.c_ulong(0)
    zero = ctypes.c_ulong(0)
    _checked("prctl", LIBC.prctl(option, ctypes.c_ulong(value), last, zero, zero))


def unshare(flags: int) -> None:
    """Leave the namespaces named by the flags for new ones."""
    _checked("unshare", LIBC.unshare(flags))


def mount(source: bytes | None, target: bytes, kind: bytes | None, flags: int, data: bytes) -> None:
    """mount(2)."""
    result = LIBC.mount(source, target, kind, ctypes.c_ulong(flags), data)
    _checked("mount", result)


def leave_root_for(folder: bytes) -> None:
    """Make a mount point the root folder, and detach the old root with all that hangs on it."""
    os.chdir(folder)
    here = ctypes.c_char_p(b".")
    number = NUMBERS[os.uname().machine]["pivot_root"]
    _checked("pivot_root", LIBC.syscall(ctypes.c_long(number), here, here))
    _checked("umount2", LIBC.umount2(b".", MNT_DETACH))
    os.chdir("/")


def drop_capabilities() -> None:
    """Give up every capability, in all three sets."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    number = NUMBERS[os.uname().machine]["capset"]
    _checked("capset", LIBC.syscall(ctypes.c_long(number), header, nothing))


def landlock_version() -> int:
    """The version of Landlock that the kernel speaks; raises OSError where it speaks none."""
    call = ctypes.c_long(LANDLOCK_CREATE_RULESET)
    return _checked(
        "landlock_create_ruleset",
        LIBC.syscall(call, None, ctypes.c_size_t(0), ctypes.c_uint32(LANDLOCK_VERSION)),
    )


def landlock_everything() -> int:
    """Deny this process and its children all files, TCP and signals to the outside.

    Returns the Landlock version in use: below 4 it says nothing of TCP, below 6 nothing of abstract
    sockets and signals. ``no_new_privs`` must be set.
    """
    version = landlock_version()
    files = (1 << LANDLOCK_FILE_RIGHTS[min(version, 5)]) - 1
    parts = [
        files,
        *([LANDLOCK_NET_RIGHTS] * (version >= 4)),
        *([LANDLOCK_SCOPES] * (version >= 6)),
    ]
    attributes = (ctypes.c_uint64 * len(parts))(*parts)
    ruleset = _checked(
        "landlock_create_ruleset",
        LIBC.syscall(
            ctypes.c_long(LANDLOCK_CREATE_RULESET),
            attributes,
            ctypes.c_size_t(ctypes.sizeof(attributes)),
            ctypes.c_uint32(0),
        ),
    )
    try:
        call = ctypes.c_long(LANDLOCK_RESTRICT_SELF)
        _checked("landlock_restrict_self", LIBC.syscall(call, ruleset, ctypes.c_uint32(0)))
    finally:
        os.close(ruleset)
    return version
