"""Hostile checkers: what each does where nothing holds it, and how the jail must answer.

Programs take what they act on (a path, a port …) as JSON from the instruction, so the same source
runs in the naive host and in the jail.
"""

import signal
from collections.abc import Callable
from dataclasses import dataclass

from tests.sandbox.plain import SECRET, Outcome

TIMEOUT, MEMORY, CRASH = frozenset({"timeout"}), frozenset({"memory"}), frozenset({"crash"})
DENIED = frozenset({"exception"})
IN_VAIN = frozenset({"ok"})
"""It ends with a verdict, which must not be True."""

Harm = Callable[[Outcome, "World"], bool]


@dataclass(frozen=True)
class World:
    """What the test looks at for effects: a path, and connections that arrived."""

    path_exists: bool
    connections: int


@dataclass(frozen=True)
class Hostile:
    """One program; `gate` says whether the gate sees it, `causes` what the jail says without it."""

    name: str
    source: str
    harm: Harm
    causes: frozenset[str]
    gate: bool = True
    mode: str = ""
    may_pass: bool = False
    """Its verdict may be True: the harm would be to others."""


def says_yes(outcome: Outcome, world: World) -> bool:
    return outcome.reply == b"yes"


def says_no(outcome: Outcome, world: World) -> bool:
    return outcome.reply == b"no"


def hangs(outcome: Outcome, world: World) -> bool:
    return outcome.hung


def makes_file(outcome: Outcome, world: World) -> bool:
    return world.path_exists


def connects(outcome: Outcome, world: World) -> bool:
    return world.connections > 0


def dies(outcome: Outcome, world: World) -> bool:
    """The host ends without a reply, by a signal or an uncaught exception."""
    return outcome.code not in (0, None) and outcome.reply == b""


def is_killed(outcome: Outcome, world: World) -> bool:
    return outcome.code == -signal.SIGKILL


def ends_quietly(outcome: Outcome, world: World) -> bool:
    return outcome.code == 0 and outcome.reply == b""


def takes_memory(outcome: Outcome, world: World) -> bool:
    """More than the jail allows was taken, or more than the host has was asked for."""
    return outcome.peak > 384 * 2**20 or dies(outcome, world)


def prints_much(outcome: Outcome, world: World) -> bool:
    return outcome.printed > 16 * 2**20


def forges(outcome: Outcome, world: World) -> bool:
    return outcome.reply.startswith(b"yes") and len(outcome.reply) > 3


def kills_bystander(outcome: Outcome, world: World) -> bool:
    return b"the bystander is dead" in outcome.reply


def checker(body: str) -> str:
    """A source whose function has this body; `at` holds what to act on."""
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return f"""
def given(text):
    import json
    return json.loads(text)

def check_following(instruction, response):
    at = given(instruction)
{lines}
"""


TOUCH = '"touch " + at["path"]'

FILES = (
    Hostile(
        "a walk over subclasses to system",
        checker(f"""
for one in ().__class__.__mro__[1].__subclasses__():
    if one.__name__ == "_wrap_close":
        return one.__init__.__globals__["system"]({TOUCH}) == 0
return False"""),
        makes_file,
        IN_VAIN | DENIED,
    ),
    Hostile(
        "system by import",
        checker(f'return __import__("os").system({TOUCH}) == 0'),
        makes_file,
        IN_VAIN,
    ),
    Hostile(
        "reading the password file",
        checker('return "root" in open("/etc/passwd").read()'),
        says_yes,
        DENIED,
    ),
    Hostile(
        "reading the environment of the parent",
        checker("""
import os
pid = at["host"] or os.getppid()
return "PATH=" in open(f"/proc/{pid}/environ").read()"""),
        says_yes,
        DENIED,
    ),
    Hostile(
        "reading its own first environment",
        checker(f'return "{SECRET}" in open("/proc/self/environ").read()'),
        says_yes,
        DENIED,
    ),
    Hostile(
        "a secret of the environment",
        checker(f'return "{SECRET}" in __import__("os").environ.values()'),
        says_yes,
        IN_VAIN,
    ),
    Hostile(
        "writing a file",
        checker('open(at["path"], "w").write("here I was")\nreturn True'),
        makes_file,
        DENIED,
    ),
    Hostile(
        "filling the disk",
        checker("""
with open(at["path"], "wb") as file:
    while True:
        file.write(bytes(2**20))
        file.flush()"""),
        makes_file,
        DENIED,
    ),
    Hostile(
        "a program of its own",
        checker('__import__("os").execv("/bin/true", ["true"])'),
        ends_quietly,
        DENIED,
    ),
)

NETWORK = (
    Hostile(
        "a TCP connection",
        checker("""
import socket
socket.create_connection(("127.0.0.1", at["port"]), 1).send(b"secret")
return True"""),
        connects,
        DENIED,
    ),
    Hostile(
        "a UDP datagram",
        checker("""
import socket
sent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", at["port"]))
return sent == 1"""),
        says_yes,
        DENIED,
    ),
    Hostile(
        "an abstract socket",
        checker("""
import socket
one = socket.socket(socket.AF_UNIX)
one.connect("\\0" + at["abstract"])
return True"""),
        connects,
        DENIED,
    ),
)

TIME = (
    Hostile(
        "a loop without an end",
        checker("n = 1\nwhile n:\n    n += 1\nreturn True"),
        hangs,
        TIMEOUT,
        gate=False,
    ),
    Hostile("a long sleep", checker("import time\ntime.sleep(60)\nreturn True"), hangs, TIMEOUT),
    Hostile("a tower of powers", checker("n = 9\nreturn n**n**n > 1"), hangs, TIMEOUT, gate=False),
    Hostile(
        "a loop that swallows everything",
        checker("""
while True:
    try:
        while True:
            pass
    except BaseException:
        pass"""),
        hangs,
        TIMEOUT,
        mode="raising_alarm",
    ),
    Hostile(
        "a loop that disarms the timer",
        checker("""
import signal
signal.setitimer(signal.ITIMER_REAL, 0)
while True:
    pass"""),
        hangs,
        TIMEOUT,
        mode="deadly_alarm",
    ),
    Hostile(
        "a regular expression that backtracks",
        checker('import re\nreturn bool(re.search("(a+)+$", "a" * 40 + "b"))'),
        hangs,
        TIMEOUT,
        gate=False,
    ),
    Hostile(
        "nested counted groups",
        checker('import re\nreturn bool(re.fullmatch("(?:(?:a{1,30}){1,30}){1,30}b", "a" * 60))'),
        hangs,
        TIMEOUT,
        gate=False,
    ),
    Hostile(
        "an object whose truth never comes",
        checker("""
def forever(self):
    while True:
        pass
return type("T", (), {"__bool__": forever})()"""),
        hangs,
        DENIED,
        mode="truth",
    ),
    Hostile(
        "an exception whose text never comes",
        checker("""
class Late(Exception):
    def __str__(self):
        while True:
            pass
try:
    raise Late()
except Late as error:
    if not at:
        return str(error)
    raise"""),
        hangs,
        TIMEOUT,
        mode="shown",
    ),
)

SIZE = (
    Hostile(
        "a memory bomb",
        checker("kept = []\nwhile at:\n    kept.append(bytes(10**7))\nreturn True"),
        takes_memory,
        MEMORY,
        gate=False,
    ),
    Hostile(
        "a text of ten thousand million letters",
        checker('return len("a" * 10**10) > 1'),
        takes_memory,
        MEMORY,
        gate=False,
    ),
    Hostile(
        "a field ten thousand million wide",
        checker('return len(format("a", str(10**10))) > 1'),
        takes_memory,
        MEMORY,
        gate=False,
    ),
    Hostile(
        "recursion without an end",
        checker("def f(n):\n    return f(n + 1)\nreturn f(0)"),
        dies,
        DENIED,
        gate=False,
    ),
    Hostile(
        "recursion with the limit lifted",
        checker("""
import sys
sys.setrecursionlimit(10**9)
def f(n):
    return max([n], key=lambda _: f(n + 1))
return f(0)"""),
        dies,
        # Python 3.12 and newer have a limit of C calls that nobody can lift.
        CRASH | MEMORY | DENIED,
    ),
    Hostile(
        "the text of a deep list",
        checker("""
deep = []
for _ in range(100_000):
    deep = [deep]
return len(repr(deep)) > 1"""),
        dies,
        DENIED | CRASH,
        gate=False,
    ),
    Hostile(
        "an expression two million signs deep",
        checker('return eval("-" * 2_000_000 + "1") == 1'),
        dies,
        MEMORY | CRASH | DENIED,
    ),
    Hostile(
        "printing gigabytes",
        checker("while at:\n    print('x' * 2**20)\nreturn True"),
        prints_much,
        TIMEOUT,
        gate=False,
    ),
    Hostile(
        "a fork bomb",
        checker("""
import os
for _ in range(6):
    os.fork()
os.close(os.open(at["path"], os.O_CREAT))
return True"""),
        makes_file,
        DENIED,
    ),
    Hostile(
        "five thousand threads",
        checker("""
import _thread, time
started = 0
try:
    for started in range(5_000):
        _thread.start_new_thread(time.sleep, (0.5,))
except RuntimeError:
    pass
return started >= 5"""),
        says_yes,
        IN_VAIN,
    ),
)

LOOKING = (
    Hostile(
        "frames behind a generator",
        checker(f"""
def walk():
    frame = me.gi_frame.f_back
    while frame:
        if "{SECRET}" in map(str, {{**frame.f_globals, **frame.f_locals}}.values()):
            yield True
        frame = frame.f_back
    yield False
me = walk()
return next(me)"""),
        says_yes,
        IN_VAIN,
    ),
    Hostile(
        "frames behind a traceback",
        checker(f"""
try:
    1 / 0
except ZeroDivisionError as error:
    frame = error.__traceback__.tb_frame
while frame:
    if "{SECRET}" in map(str, frame.f_globals.values()):
        return True
    frame = frame.f_back
return False"""),
        says_yes,
        IN_VAIN,
    ),
    Hostile(
        "all objects of the collector",
        checker("""
import gc
for one in gc.get_objects():
    if isinstance(one, dict) and "host_secret" in one:
        return True
return False"""),
        says_yes,
        IN_VAIN,
    ),
    Hostile(
        "a format that reads globals",
        """
class A:
    def __init__(self):
        pass

def check_following(instruction, response):
    return "a-secret-of-" + "the-host" in "{0.__init__.__globals__}".format(A())
""",
        says_yes,
        IN_VAIN,
    ),
)

TRICKS = (
    Hostile(
        "decorators that call",
        checker(f"""
command = {TOUCH}
@(lambda made: __import__("os").system(made))
@(lambda _: command)
class Here:
    pass
return Here == 0"""),
        makes_file,
        IN_VAIN,
    ),
    Hostile(
        "mathematical letters",
        checker(f"return 𝐞𝐯𝐚𝐥(\"__import__('os')\").system({TOUCH}) == 0"),
        makes_file,
        IN_VAIN,
    ),
    Hostile(
        "full-width letters",
        checker(f"return ｅｖａｌ(\"__import__('os')\").system({TOUCH}) == 0"),
        makes_file,
        IN_VAIN,
    ),
    Hostile(
        "patches of re and len",
        checker("""
import builtins, re
re.findall = lambda *_: []
builtins.len = lambda _: 0
return True"""),
        says_no,
        IN_VAIN | DENIED,
        mode="victim",
        may_pass=True,
    ),
    Hostile(
        "a forged reply to every descriptor",
        checker("""
import os
forged = b"yes" + b'{"verdict": true}' * 8
for one in range(256):
    try:
        os.write(one, forged)
    except OSError:
        pass
return False"""),
        forges,
        frozenset({"forged"}),
    ),
    Hostile(
        "a forged reply in the right form",
        checker("""
import json, os
answer = json.dumps([True, "ok", "", 0]).encode()
forged = (16 + len(answer)).to_bytes(4, "big") + bytes(16) + answer
for one in range(256):
    try:
        os.write(one, b"yes" + forged if at["plain"] else forged)
    except OSError:
        pass
os._exit(0)"""),
        forges,
        frozenset({"forged"}),
    ),
    Hostile(
        "killing the parent",
        checker("import os\nos.kill(os.getppid(), 9)\nreturn True"),
        is_killed,
        DENIED,
        mode="parented",
    ),
    Hostile(
        "killing everything",
        checker("import os\nos.kill(-1, 9)\nreturn True"),
        kills_bystander,
        DENIED,
        mode="bystander",
    ),
)

CRASHES = (
    Hostile("a null pointer", checker("import ctypes\nreturn ctypes.string_at(0)"), dies, CRASH),
    Hostile(
        "broken bytecode",
        checker("""
def f():
    return 1
f.__code__ = f.__code__.replace(co_code=bytes([100, 255]) * 64 + bytes([83, 0]), co_consts=())
return f()"""),
        dies,
        CRASH,
    ),
    Hostile("leaving at once", checker("__import__('os')._exit(0)"), ends_quietly, CRASH),
    Hostile("asking to exit", checker("raise SystemExit(0)"), ends_quietly, DENIED),
    Hostile(
        "a ring of io_uring",
        checker("""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
return libc.syscall(425, 4, ctypes.create_string_buffer(120)) >= 0"""),
        says_yes,
        IN_VAIN | DENIED,
    ),
    Hostile(
        "ptrace",
        checker("import ctypes\nreturn ctypes.CDLL(None).ptrace(0, 0, 0, 0) == 0"),
        says_yes,
        IN_VAIN | DENIED,
    ),
    Hostile(
        "memory that can be executed",
        checker("import mmap\nreturn bool(mmap.mmap(-1, 4096, prot=7))"),
        says_yes,
        DENIED,
    ),
)

CORPUS = FILES + NETWORK + TIME + SIZE + LOOKING + TRICKS + CRASHES
