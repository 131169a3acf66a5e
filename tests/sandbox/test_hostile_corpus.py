"""Every hostile program does harm where nothing holds it, and none where the jail does."""

import json
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rubricstudio.core.types import CheckCause
from rubricstudio.sandbox.jail import Jail
from tests.sandbox import plain
from tests.sandbox.corpus import CORPUS, Hostile, World

HONEST = "def check_following(instruction, response):\n    return 'a' in response\n"
EACH = pytest.mark.parametrize("hostile", CORPUS, ids=[one.name for one in CORPUS])

VARIANTS: dict[str, dict[str, Any]] = {
    "gate on": {},
    "gate off": {"gated": False},
    "no namespaces": {"gated": False, "without": ["namespaces"]},
    "filter only": {"gated": False, "without": ["namespaces", "landlock"]},
}


@pytest.fixture(scope="module", params=list(VARIANTS.values()), ids=list(VARIANTS))
def jail(request: pytest.FixtureRequest) -> Iterator[Jail]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("A_SECRET", plain.SECRET)
        jail = Jail(**request.param)
        jail.ladder()
        yield jail
        jail.close()


class Surroundings:
    """A path and two listeners; what came of them afterwards."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "harm"
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.abstract = socket.socket(socket.AF_UNIX)
        self.abstract.bind(f"\0harm-{os.getpid()}")
        self.abstract.listen()

    def instruction(self, **more: object) -> str:
        port, name = self.tcp.getsockname()[1], self.abstract.getsockname()[1:].decode()
        at = {"path": str(self.path), "port": port, "abstract": name, "host": os.getpid(), **more}
        return json.dumps(at)

    def look(self) -> World:
        return World(self.path.exists(), sum(map(_arrived, (self.tcp, self.abstract))))

    def close(self) -> None:
        self.tcp.close()
        self.abstract.close()


def _arrived(listener: socket.socket) -> int:
    listener.settimeout(0.05)
    try:
        listener.accept()[0].close()
    except TimeoutError:
        return 0
    return 1


@pytest.fixture
def surroundings(tmp_path: Path) -> Iterator[Surroundings]:
    made = Surroundings(tmp_path)
    yield made
    made.close()


@EACH
def test_it_does_harm_where_nothing_holds_it(
    hostile: Hostile, surroundings: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET", plain.SECRET)

    outcome = plain.run(hostile.source, surroundings.instruction(plain=True), hostile.mode)

    assert hostile.harm(outcome, surroundings.look()), outcome


@EACH
def test_the_jail_contains_it(hostile: Hostile, surroundings: Surroundings, jail: Jail) -> None:
    before = jail.pid
    started = time.monotonic()

    answers = jail.check(
        [hostile.source, HONEST], surroundings.instruction(plain=False), ["abc", "xyz"]
    )

    assert time.monotonic() - started < 10
    first, honest = answers
    expected = {"refused"} if jail.gated and hostile.gate else hostile.causes
    assert {one.cause.value for one in first} <= expected, first
    assert hostile.may_pass or not any(one.verdict for one in first)
    assert surroundings.look() == World(path_exists=False, connections=0)
    assert [one.verdict for one in honest] == [True, False]
    assert [one.verdict for one in jail.check([HONEST], "", ["abc", "xyz"])[0]] == [True, False]
    assert jail.pid == before, "the zygote was restarted"


def test_a_forged_answer_is_told_from_a_crash(jail: Jail) -> None:
    source = "import os\ndef check_following(i, r):\n    os.write(0, b'x' * 40)\n    return True\n"
    cause = jail.check([source], "", ["abc"])[0][0].cause

    assert cause is (CheckCause.REFUSED if jail.gated else CheckCause.FORGED)
