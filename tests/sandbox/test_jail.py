"""The jail as its callers know it: answers, causes, and that it outlives whatever happens."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from rubricstudio.core.types import CheckCause, CheckResult
from rubricstudio.sandbox import jail as jail_module
from rubricstudio.sandbox import limits
from rubricstudio.sandbox.errors import GeneratedCodeRefused, JailBroken
from rubricstudio.sandbox.jail import Jail

ROOT = Path(__file__).resolve().parents[2]


def checker(body: str) -> str:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"def check_following(instruction, response):\n{lines}\n"


HAS_A = checker("return 'a' in response")
SLEEPS = checker("import time\ntime.sleep(60)")
DIES = checker("import os\nif 'die' in response:\n    os._exit(3)\nreturn True")


@pytest.fixture
def jail() -> Iterator[Jail]:
    made = Jail(gated=False)
    yield made
    made.close()


def verdicts(jail: Jail, source: str, responses: list[str]) -> list[bool | None]:
    return [one.verdict for one in jail.check([source], "an instruction", responses)[0]]


def told(jail: Jail, source: str, response: str = "abc") -> str:
    return jail.check([source], "an instruction", [response])[0][0].reason


def test_each_checker_answers_for_each_response_in_order(jail: Jail) -> None:
    has_b = checker("return 'b' in response")

    rows = jail.check([HAS_A, has_b], "", ["a", "b", "ab", ""])

    assert [[one.verdict for one in row] for row in rows] == [
        [True, False, True, False],
        [False, True, True, False],
    ]


def test_an_answer_becomes_the_outcome_that_is_stored(jail: Jail) -> None:
    raises = checker("if not response:\n    raise ValueError('nothing')\nreturn response == 'a'")

    outcomes = [one.as_outcome() for one in jail.check([raises], "", ["a", "b", ""])[0]]

    assert [(one.result, one.cause) for one in outcomes] == [
        (CheckResult.PASSED, CheckCause.OK),
        (CheckResult.FAILED, CheckCause.OK),
        (CheckResult.UNAVAILABLE, CheckCause.EXCEPTION),
    ]
    assert outcomes[2].reason == "ValueError: nothing"


def test_the_checker_is_given_the_instruction(jail: Jail) -> None:
    assert verdicts(jail, checker("return instruction == 'an instruction'"), ["x"]) == [True]


@pytest.mark.parametrize("value", ["1", "'yes'", "None", "[True]", "0", "not_bool()"])
def test_only_true_and_false_are_verdicts(jail: Jail, value: str) -> None:
    source = f"def not_bool():\n    return 1.0\n{checker(f'return {value}')}"

    (answer,) = jail.check([source], "", ["abc"])[0]

    assert (answer.verdict, answer.cause) == (None, CheckCause.EXCEPTION)
    assert "not True or False" in answer.reason


def test_nothing_a_checker_kept_from_one_response_counts_for_the_next(jail: Jail) -> None:
    source = "seen = []\n" + checker("seen.append(response)\nreturn len(seen) == 1")

    assert verdicts(jail, source, ["a", "b", "c"]) == [True, True, True]


def test_a_crash_costs_only_its_own_response(jail: Jail) -> None:
    (answers,) = jail.check([DIES], "", ["a", "die", "b"])

    assert [one.verdict for one in answers] == [True, None, True]
    assert answers[1].cause is CheckCause.CRASH
    assert answers[1].reason == "it ended its process with the code 3"


def test_after_three_hard_failures_the_rest_of_a_batch_is_not_run(jail: Jail) -> None:
    (answers,) = jail.check([DIES], "", ["die", "a", "die", "die", "a", "a"])

    assert [one.verdict for one in answers] == [None, True, None, None, None, None]
    assert answers[-1].reason.startswith("not run: the checker had failed 3 times")


def test_a_checker_cannot_speak_for_another_even_if_it_knows_the_channel(jail: Jail) -> None:
    # It walks up to the frame that holds the nonce and answers for more responses than it has.
    thief = checker("""\
import os, sys
frame = sys._getframe()
while 'nonce' not in frame.f_locals:
    frame = frame.f_back
answer = b'[true,"ok","",0]'
forged = (16 + len(answer)).to_bytes(4, 'big') + frame.f_locals['nonce'] + answer
for _ in range(50):
    os.write(0, forged)
return False""")

    stolen, honest = jail.check([thief, HAS_A], "", ["abc", "xyz"])

    assert len(stolen) == 2
    assert stolen[1].cause is CheckCause.FORGED
    assert [one.verdict for one in honest] == [True, False]
    assert verdicts(jail, HAS_A, ["abc", "xyz"]) == [True, False]


def test_a_child_has_three_descriptors_and_no_variable_of_the_host(
    monkeypatch: pytest.MonkeyPatch, jail: Jail
) -> None:
    monkeypatch.setenv("A_SECRET", "of the host")
    source = checker("""\
import os, fcntl
def is_open(one):
    try:
        os.write(one, b'')
    except OSError as error:
        return error.errno != 9
    return True
found = [one for one in range(64) if is_open(one)]
raise ValueError(f'{len(found)} {sorted(os.environ)}')""")

    # The filter answers EPERM before the kernel looks whether a descriptor is open.
    open_wide = Jail(gated=False, without=["seccomp"])
    try:
        assert told(open_wide, source.replace(", fcntl", "")) == (
            "ValueError: 3 ['LC_ALL', 'PATH', 'PYTHONHASHSEED']"
        )
    finally:
        open_wide.close()


@pytest.mark.parametrize(
    "response",
    ["", "\ud800 half a pair", "🙂" * 1000, "\0\x01\x02", "שלום" * 50, "a" * 1_000_000, "\r\n"],
    ids=["empty", "surrogate", "emoji", "control", "right to left", "1 MB", "CRLF"],
)
def test_any_text_arrives_as_it_is(jail: Jail, response: str) -> None:
    source = checker(
        f"import hashlib\nreturn len(response) == {len(response)} and "
        f"response == {response[:1000]!r} * {max(1, len(response) // 1000)}"
        if len(response) > 1000
        else f"return response == {response!r}"
    ).replace("import hashlib\n    ", "")

    assert verdicts(jail, source, [response]) == [True]


def test_a_response_that_is_too_long_says_so_and_holds_up_no_other(jail: Jail) -> None:
    long = "a" * (limits.LONGEST_RESPONSE + 1)

    first, second = jail.check([HAS_A], "", [long, "a"])[0]

    assert (first.verdict, first.cause, second.verdict) == (None, CheckCause.REFUSED, True)
    assert "2,000,001 characters" in first.reason


def test_any_number_of_responses_comes_in_batches(jail: Jail) -> None:
    responses = ["a" if n % 3 else "b" for n in range(200)]

    assert verdicts(jail, HAS_A, responses) == [bool(n % 3) for n in range(200)]


def test_many_large_responses_stay_within_the_memory_of_a_child(jail: Jail) -> None:
    assert verdicts(jail, HAS_A, ["🙂a" * 500_000] * 12) == [True] * 12


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def check_following(instruction, response)\n    return True", "cannot be compiled"),
        ("x = 1", "it defines no function check_following"),
        ("check_following = 3", "it defines no function check_following"),
        ("a\0b", "cannot be compiled"),
        (checker("return " + "-" * 9_000 + "1 == 1"), ""),
        (checker("return " + "(" * 500 + ")" * 500), "cannot be compiled"),
    ],
    ids=["no Python", "no function", "no callable", "NUL", "deep signs", "deep brackets"],
)
def test_a_source_that_is_no_checker_has_no_verdict(jail: Jail, source: str, reason: str) -> None:
    (answer,) = jail.check([source], "", ["abc"])[0]

    assert answer.verdict is None
    assert answer.cause in (CheckCause.EXCEPTION, CheckCause.MEMORY, CheckCause.CRASH)
    assert reason in answer.reason
    assert verdicts(jail, HAS_A, ["abc"]) == [True]


def test_the_gate_is_asked_inside_and_its_sentence_comes_out() -> None:
    gated = Jail()
    try:
        (answer,) = gated.check([checker("import os\nreturn True")], "", ["abc"])[0]

        assert (answer.verdict, answer.cause) == (None, CheckCause.REFUSED)
        assert "the module os cannot be imported" in answer.reason
        assert verdicts(gated, HAS_A, ["abc"]) == verdicts(gated, HAS_A, ["abc"]) == [True]
    finally:
        gated.close()


def test_hash_seeds_order_sets_differently() -> None:
    source = checker("raise ValueError(''.join(set('abcdefghijklmnop')))")
    orders = set()
    for seed in (1, 2, 3):
        jail = Jail(hash_seed=seed, gated=False)
        orders.add(told(jail, source))
        assert told(jail, source) in orders
        jail.close()

    assert len(orders) == 3


def test_a_zygote_that_was_killed_is_replaced(jail: Jail) -> None:
    verdicts(jail, HAS_A, ["a"])
    before = jail.pid
    assert before
    os.kill(before, signal.SIGKILL)

    assert verdicts(jail, HAS_A, ["a"]) == [True]
    assert jail.pid != before


def test_a_zygote_that_is_killed_in_mid_batch_is_replaced_and_the_batch_asked_again(
    jail: Jail,
) -> None:
    slow = checker("import time\ntime.sleep(0.1)\nreturn True")
    verdicts(jail, HAS_A, ["a"])
    before = jail.pid
    assert before
    timer = threading.Timer(0.3, os.kill, (before, signal.SIGKILL))
    timer.start()

    assert verdicts(jail, slow, ["a"] * 10) == [True] * 10
    assert jail.pid != before
    timer.join()


def test_a_jail_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")

    with pytest.raises(JailBroken, match=r"no zygote can be started: .*No such file"):
        Jail().check([HAS_A], "", ["a"])


def test_a_zygote_that_fails_tells_its_last_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rubricstudio.sandbox.spawner.START", "raise ValueError('no room')")

    with pytest.raises(JailBroken, match="it said: ValueError: no room"):
        Jail().check([HAS_A], "", ["a"])


def test_the_zygote_outlives_the_thread_that_first_needed_it(jail: Jail) -> None:
    thread = threading.Thread(target=verdicts, args=(jail, HAS_A, ["a"]))
    thread.start()
    thread.join()
    before = jail.pid
    time.sleep(0.2)

    assert verdicts(jail, HAS_A, ["a"]) == [True]
    assert jail.pid == before


def test_threads_take_turns(jail: Jail) -> None:
    found: list[list[bool | None]] = []
    threads = [
        threading.Thread(target=lambda: found.append(verdicts(jail, HAS_A, ["a", "b"])))
        for _ in range(8)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()

    assert found == [[True, False]] * 8


def test_a_time_limit_of_the_task_in_mid_batch_leaves_the_jail_usable(jail: Jail) -> None:
    class SoftTimeLimit(Exception):
        pass

    def late(*_: object) -> None:
        raise SoftTimeLimit

    verdicts(jail, HAS_A, ["a"])
    before = jail.pid
    previous = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(SoftTimeLimit):
            jail.check([SLEEPS], "", ["a"] * 3)
    finally:
        signal.signal(signal.SIGALRM, previous)

    assert verdicts(jail, HAS_A, ["a", "b"]) == [True, False]
    assert jail.pid != before


def test_a_forked_process_has_a_jail_of_its_own(jail: Jail) -> None:
    verdicts(jail, HAS_A, ["a"])
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        found = verdicts(jail, HAS_A, ["a", "b"])
        os.write(writer, f"{found == [True, False]} {jail.pid}".encode())
        os._exit(0)
    os.waitpid(child, 0)
    works, pid = os.read(reader, 100).decode().split()
    os.close(reader)
    os.close(writer)

    assert works == "True"
    assert int(pid) != jail.pid
    assert verdicts(jail, HAS_A, ["a", "b"]) == [True, False]


HELD = """
import time
from rubricstudio.sandbox.jail import shared
jail = shared()
jail.ladder()
print(jail.pid, flush=True)
source = "def check_following(i, r):\\n    while r:\\n        i += r"
jail.check([source], "", ["a"] * 64)
time.sleep(60)
"""


def wait_until_gone(*pids: int) -> list[int]:
    until = time.monotonic() + 10
    while time.monotonic() < until:
        left = [pid for pid in pids if psutil.pid_exists(pid)]
        if not left:
            return []
        time.sleep(0.05)
    return left


def test_a_worker_that_is_killed_in_mid_batch_takes_all_of_its_jail_along() -> None:
    worker = subprocess.Popen(
        [sys.executable, "-c", HELD], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert worker.stdout
    outer = int(worker.stdout.readline())
    inside = psutil.Process(outer).children(recursive=True)
    worker.kill()
    worker.wait()
    worker.stdout.close()

    assert inside
    assert wait_until_gone(outer, *(one.pid for one in inside)) == []


UNPRIVILEGED = """
import os, sys
from rubricstudio.sandbox.jail import Jail
assert os.geteuid() != 0
jail = Jail(gated=False)
print(jail.ladder().rung, *(row[0].verdict for row in jail.check(sys.argv[1:], "", ["a"])))
jail.close()
"""


def test_an_ordinary_user_has_the_full_ladder() -> None:
    reads = checker("return bool(open('/etc/passwd'))")
    command = [sys.executable, "-c", UNPRIVILEGED, HAS_A, reads]
    if os.geteuid() == 0:
        # No capability outside its namespace, like any user; but it may read this interpreter.
        command = ["unshare", "--user", "--map-user=1000", "--map-group=1000", *command]

    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)

    assert done.stdout.split() == ["full", "True", "None"], done.stderr


def test_another_system_refuses_generated_code_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("platform.system", lambda: "Darwin")

    with pytest.raises(GeneratedCodeRefused, match="this is macOS"):
        Jail().check([HAS_A], "", ["a"])


def test_the_shared_jail_starts_again_after_it_was_closed() -> None:
    jail = jail_module.shared()
    assert jail_module.shared() is jail
    assert verdicts(jail, HAS_A, ["a"]) == [True]
    jail_module.close_shared()
    assert jail.pid is None
    assert verdicts(jail, HAS_A, ["a"]) == [True]
    jail_module.close_shared()


@pytest.mark.slow
def test_ten_thousand_checks_leave_no_memory_and_no_zombie_behind(jail: Jail) -> None:
    segfaults = checker(
        "import ctypes\nif response == 'die':\n    ctypes.string_at(0)\nreturn True"
    )
    bomb = checker("if response == 'die':\n    bytes(10**9)\nreturn True")
    batch = ["a", "b"] * 15 + ["die"] + ["c"] * 19
    (zygote,) = _zygotes(jail)
    sizes = []
    for _ in range(50):
        for row in jail.check([HAS_A, segfaults, bomb, HAS_A], "", batch):
            assert len(row) == len(batch)
        sizes.append(zygote.memory_info().rss)

    assert _zygotes(jail) == [zygote]
    assert zygote.children() == []
    assert max(sizes[10:]) - sizes[9] < 2**20
    assert max(sizes) < 16 * 2**20


def _zygotes(jail: Jail) -> list[psutil.Process]:
    jail.ladder()
    assert jail.pid
    return psutil.Process(jail.pid).children()
