"""Generated checkers in the jail, against the bare Python call of the same checker in one run.

CPU is that of this process, the zygote and all its children together; the clock of one ad-hoc check
and of a zygote's start is told beside it, which other work on the machine makes longer.
"""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import psutil

from rubricstudio.sandbox.jail import Jail

SOURCE: Final = '''
import re
from collections import Counter


def check_following(instruction: str, response: str) -> bool:
    """Every paragraph has a capital, a stop and 3 to 200 words, few of them said too often."""
    often = Counter(re.findall(r"\w{4,}", response.lower()))
    if often and max(often.values()) > 60:
        return False
    paragraphs = [one for one in re.split(r"\\n\\s*\\n", response) if one.strip()]
    if not paragraphs:
        return False
    for paragraph in paragraphs:
        words = re.findall(r"[^\\W\\d_]+(?:['’-][^\\W\\d_]+)*", paragraph)
        if not 3 <= len(words) <= 200 or not words[0][0].isupper():
            return False
        if paragraph.rstrip()[-1] not in ".!?":
            return False
    return True
'''
REPEATS: Final = 5
CHECKS: Final = {1: 300, 8: 1_600, 64: 6_400}
ADHOC: Final = 200
MIB: Final = 2**20


def measure(report: Callable[..., None]) -> None:
    """Report the figures of the jail; of several passes over a batch size the best is taken."""
    responses = _responses(64)
    bare = _bare(responses)
    jail = Jail()
    try:
        jail.check([SOURCE], "", responses)
        for size, checks in CHECKS.items():
            batches = checks // size
            spent = min(_cpu(jail, responses[:size], batches) for _ in range(REPEATS))
            each = spent / (batches * size)
            report(
                f"checkers.jail_batch_{size}",
                cpu_ms_per_check=each * 1000,
                per_s_core=1 / each,
                bare_ms=bare * 1000,
                cpu_in_bare_calls=each / bare,
            )
        report("checkers.jail_adhoc", **_adhoc(jail, responses[0]))
        report("checkers.jail_start", **_start())
        report("checkers.jail_time_limit", **_time_limit())
    finally:
        jail.close()


def _responses(count: int) -> list[str]:
    """Texts of about 3 kB that the checker reads to the end."""
    chance = random.Random(5)
    syllables = ("ka", "lo", "mi", "ner", "sto", "ve", "tan", "gil")
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 3))) for _ in range(500)]
    return ["\n\n".join(_paragraph(chance, words) for _ in range(6)) for _ in range(count)]


def _paragraph(chance: random.Random, words: Sequence[str]) -> str:
    return " ".join(chance.choices(words, k=80)).capitalize() + "."


def _bare(responses: Sequence[str]) -> float:
    """CPU seconds of one call without any jail."""
    names: dict[str, Any] = {}
    exec(compile(SOURCE, "<checker>", "exec"), names)  # noqa: S102 - our own source, as the floor
    check = names["check_following"]
    taken = []
    for _ in range(REPEATS):
        started = time.process_time()
        for _ in range(20):
            for response in responses:
                assert check("", response) is True
        taken.append(time.process_time() - started)
    return min(taken) / (20 * len(responses))


def _cpu(jail: Jail, responses: Sequence[str], batches: int) -> float:
    """CPU seconds of so many batches: of this process, the zygote and its children."""
    (zygote,) = psutil.Process(jail.pid).children()
    before = _spent(zygote) + time.process_time()
    for _ in range(batches):
        answers = jail.check([SOURCE], "", responses)[0]
        assert all(one.verdict for one in answers)
    return _spent(zygote) + time.process_time() - before


def _spent(zygote: psutil.Process) -> float:
    return float(sum(zygote.cpu_times()[:4]))


def _adhoc(jail: Jail, response: str) -> dict[str, float]:
    """One response against one checker, as the box of a page asks."""
    taken = []
    for _ in range(ADHOC):
        started = time.perf_counter()
        jail.check([SOURCE], "", [response])
        taken.append(time.perf_counter() - started)
    cuts = statistics.quantiles(taken, n=100)
    return {"p50_ms": cuts[49] * 1000, "p99_ms": cuts[98] * 1000}


def _start() -> dict[str, float]:
    """A zygote with every wall, from nothing."""
    taken, size = [], 0
    for _ in range(REPEATS):
        jail = Jail()
        started = time.perf_counter()
        jail.ladder()
        taken.append(time.perf_counter() - started)
        (zygote,) = psutil.Process(jail.pid).children()
        size = max(size, zygote.memory_info().rss)
        jail.close()
    return {"best_ms": min(taken) * 1000, "worst_ms": max(taken) * 1000, "rss_mib": size / MIB}


def _time_limit() -> dict[str, float]:
    """How long until a checker without an end is told apart, with its timer and without."""
    body = "def check_following(instruction, response):\n    {}\n    while True: pass\n"
    disarm = "import signal; signal.setitimer(signal.ITIMER_REAL, 0)"
    jail = Jail(gated=False)
    taken = {}
    try:
        jail.ladder()
        for name, first in (("armed_s", "pass"), ("disarmed_s", disarm)):
            started = time.perf_counter()
            jail.check([body.format(first)], "", [os.devnull])
            taken[name] = time.perf_counter() - started
    finally:
        jail.close()
    return taken
