"""The filter of system calls: what a checker may ask of the kernel, and nothing else.

A classic BPF program over ``struct seccomp_data``, put together once by the zygote and installed by
each child. What is not on the list answers EPERM, so that a checker that tries gets an exception.
A call of another architecture ends the process.
"""

import ctypes
import os

from rubricstudio.sandbox.inside import kernel

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
MACHINES = tuple(AUDIT_ARCH)

# Memory, time and the end: what an interpreter that has all its files open still needs. No call
# here opens, sends, starts, signals or waits for anything.
ALLOWED = {
    "x86_64": {
        "munmap": 11,
        "brk": 12,
        "rt_sigreturn": 15,
        "mremap": 25,
        "madvise": 28,
        "setitimer": 38,
        "getpid": 39,
        "exit": 60,
        "gettid": 186,
        "futex": 202,
        "restart_syscall": 219,
        "clock_gettime": 228,
        "clock_nanosleep": 230,
        "exit_group": 231,
        "getrandom": 318,
    },
    "aarch64": {
        "exit": 93,
        "exit_group": 94,
        "futex": 98,
        "setitimer": 103,
        "clock_gettime": 113,
        "clock_nanosleep": 115,
        "restart_syscall": 128,
        "rt_sigreturn": 139,
        "getpid": 172,
        "gettid": 178,
        "brk": 214,
        "munmap": 215,
        "mremap": 216,
        "madvise": 233,
        "getrandom": 278,
    },
}
# Allowed where an argument says so: to one of the three descriptors, and never executable.
WRITE = {"x86_64": 1, "aarch64": 64}
MAPPING = {"x86_64": {"mmap": 9, "mprotect": 10}, "aarch64": {"mmap": 222, "mprotect": 226}}
LAST_DESCRIPTOR, PROT_EXEC = 2, 0x4

LOAD_WORD, JUMP_EQUAL, JUMP_GREATER, JUMP_SET, RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
KILL_PROCESS, ALLOW, REFUSE = 0x80000000, 0x7FFF0000, 0x00050000 | 1  # 1 is EPERM
NUMBER_AT, ARCH_AT, ARGUMENTS_AT = 0, 4, 16

Step = tuple[int, int, int, int]
"""Code, jump if true, jump if false, operand."""


class _Instruction(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_uint16),
        ("jt", ctypes.c_uint8),
        ("jf", ctypes.c_uint8),
        ("k", ctypes.c_uint32),
    ]


class _Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_uint16), ("filter", ctypes.POINTER(_Instruction))]


def steps(machine: str) -> list[Step]:
    """The program for a machine; raises KeyError for one that it is not written for."""
    program: list[Step] = [
        (LOAD_WORD, 0, 0, ARCH_AT),
        (JUMP_EQUAL, 1, 0, AUDIT_ARCH[machine]),
        (RETURN, 0, 0, KILL_PROCESS),
        (LOAD_WORD, 0, 0, NUMBER_AT),
    ]
    for number in sorted(ALLOWED[machine].values()):
        program += [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, ALLOW)]
    program += _when(WRITE[machine], argument=0, test=(JUMP_GREATER, LAST_DESCRIPTOR))
    for number in MAPPING[machine].values():
        program += _when(number, argument=2, test=(JUMP_SET, PROT_EXEC))
    return [*program, (RETURN, 0, 0, REFUSE)]


def _when(number: int, *, argument: int, test: tuple[int, int]) -> list[Step]:
    """Allow a call unless the test of an argument's low word is true or its high word is not 0."""
    code, operand = test
    low = ARGUMENTS_AT + 8 * argument  # both machines are little-endian
    return [
        (JUMP_EQUAL, 0, 6, number),
        (LOAD_WORD, 0, 0, low + 4),
        (JUMP_EQUAL, 0, 3, 0),
        (LOAD_WORD, 0, 0, low),
        (code, 1, 0, operand),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, REFUSE),
    ]


class Filter:
    """The filter for this machine, ready to be installed in any number of children."""

    def __init__(self, machine: str | None = None) -> None:
        program = steps(machine or os.uname().machine)
        self._instructions = (_Instruction * len(program))(*(_Instruction(*one) for one in program))
        self._program = _Program(len(program), self._instructions)

    def install(self) -> None:
        """Filter this process from now on; ``no_new_privs`` must be set. There is no way back."""
        pointer = ctypes.byref(self._program)
        kernel.prctl(kernel.PR_SET_SECCOMP, kernel.SECCOMP_MODE_FILTER, pointer)
