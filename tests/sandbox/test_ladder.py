"""The ladder of walls, and the doctor that tries them."""

import os

import pytest

from rubricstudio.sandbox import doctor
from rubricstudio.sandbox.errors import GeneratedCodeRefused
from rubricstudio.sandbox.inside.seccomp import (
    ALLOW,
    AUDIT_ARCH,
    JUMP_EQUAL,
    JUMP_GREATER,
    JUMP_SET,
    KILL_PROCESS,
    LOAD_WORD,
    REFUSE,
    RETURN,
    steps,
)
from rubricstudio.sandbox.jail import Jail
from rubricstudio.sandbox.ladder import (
    LANDLOCK,
    LIMITS,
    NAMESPACES,
    SECCOMP,
    Ladder,
    Layer,
    Rung,
)

ALL = (NAMESPACES, LIMITS, LANDLOCK, SECCOMP)


@pytest.mark.parametrize(
    ("missing", "rung"),
    [
        ((), Rung.FULL),
        ((NAMESPACES,), Rung.NO_NAMESPACES),
        ((LANDLOCK,), Rung.NO_LANDLOCK),
        ((NAMESPACES, LANDLOCK), Rung.NO_LANDLOCK),
        ((SECCOMP,), Rung.REFUSED),
        ((LIMITS,), Rung.REFUSED),
        (ALL, Rung.REFUSED),
    ],
)
def test_the_rung_is_that_of_the_walls_that_stand(missing: tuple[str, ...], rung: Rung) -> None:
    ladder = Ladder(tuple(Layer(name, name not in missing, "") for name in ALL))

    assert ladder.rung is rung
    assert ladder.meaning.endswith(".")


def test_a_jail_without_a_filter_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    # The zygote's own attempt fails: as on a machine for which no filter is written.
    monkeypatch.setattr(
        "rubricstudio.sandbox.spawner.START",
        "import os, sys; sys.path.insert(0, sys.argv.pop(1)); "
        "from rubricstudio.sandbox.inside import layers; layers.MACHINES = (); "
        "from rubricstudio.sandbox.inside.zygote import main; main(sys.argv[1:])",
    )
    jail = Jail()
    try:
        with pytest.raises(GeneratedCodeRefused, match="generated checkers are refused"):
            jail.check(["def check_following(i, r):\n    return True\n"], "", ["a"])
        (wall,) = (one for one in jail.ladder().layers if one.name == SECCOMP)
        assert "no filter is written for the machine" in wall.how
    finally:
        jail.close()


def test_the_doctor_tries_every_wall_from_inside() -> None:
    diagnosis = doctor.diagnose()

    assert [one.name for one in diagnosis.ladder.layers] == list(ALL)
    assert len(diagnosis.trials) == len(doctor.TRIALS)
    assert all(one.held for one in diagnosis.trials), diagnosis.trials


@pytest.mark.skipif(os.environ.get("CI") != "true", reason="only CI promises every wall")
def test_on_ci_every_wall_stands() -> None:
    diagnosis = doctor.diagnose()

    assert diagnosis.well, diagnosis


@pytest.mark.parametrize("missing", [[NAMESPACES], [LANDLOCK], [NAMESPACES, LANDLOCK]])
def test_a_wall_that_is_left_out_is_reported(missing: list[str]) -> None:
    jail = Jail(without=missing)
    try:
        fallen = [one.name for one in jail.ladder().layers if not one.stands]
    finally:
        jail.close()

    assert sorted(fallen) == sorted(missing)


def run_filter(machine: str, number: int, arguments: tuple[int, ...] = (), arch: int = 0) -> int:
    """What the program answers to a call: an interpreter of the few instructions it uses."""
    words = {0: number, 4: arch or AUDIT_ARCH[machine]}
    for at, value in enumerate((*arguments, *[0] * (6 - len(arguments)))):
        words[16 + 8 * at], words[20 + 8 * at] = value & 0xFFFFFFFF, value >> 32
    program, at, held = steps(machine), 0, 0
    tests = {
        JUMP_EQUAL: lambda k: held == k,
        JUMP_GREATER: lambda k: held > k,
        JUMP_SET: lambda k: bool(held & k),
    }
    while True:
        code, if_true, if_false, k = program[at]
        if code == RETURN:
            return k
        if code == LOAD_WORD:
            held = words[k]
        else:
            at += if_true if tests[code](k) else if_false
        at += 1


CALLS = {
    # Numbers from the kernel's tables: x86_64, aarch64.
    "exit_group": (231, 94, (), ALLOW),
    "brk": (12, 214, (), ALLOW),
    "write to the last descriptor": (1, 64, (2,), ALLOW),
    "write to another": (1, 64, (3,), REFUSE),
    "write with a high word": (1, 64, (1 << 32,), REFUSE),
    "mmap for reading": (9, 222, (0, 4096, 1), ALLOW),
    "mmap for execution": (9, 222, (0, 4096, 7), REFUSE),
    "mprotect for execution": (10, 226, (0, 4096, 5), REFUSE),
    "openat": (257, 56, (), REFUSE),
    "socket": (41, 198, (), REFUSE),
    "clone": (56, 220, (), REFUSE),
    "clone3": (435, 435, (), REFUSE),
    "execve": (59, 221, (), REFUSE),
    "kill": (62, 129, (), REFUSE),
    "ptrace": (101, 117, (), REFUSE),
    "io_uring_setup": (425, 425, (), REFUSE),
    "seccomp": (317, 277, (), REFUSE),
    "read": (0, 63, (0,), REFUSE),
}


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("call", CALLS)
def test_the_filter_answers_each_call_as_it_should(call: str, machine: str) -> None:
    intel, arm, arguments, answer = CALLS[call]

    assert run_filter(machine, intel if machine == "x86_64" else arm, arguments) == answer


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_a_call_of_another_architecture_ends_the_process(machine: str) -> None:
    assert run_filter(machine, 231, arch=0x40000003) == KILL_PROCESS


def test_a_call_of_the_x32_form_is_refused() -> None:
    assert run_filter("x86_64", 0x40000000 | 231) == REFUSE
