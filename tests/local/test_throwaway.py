"""The database of the test suite goes with pytest, however that ends."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import pytest_socket

from rubricstudio.local import paths, processes
from tests import pg
from tests.local.observing import PATIENCE

HOLD = "from tests.pg import ThrowawayCluster; print(ThrowawayCluster().url, flush=True); input()"


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGINT])
def test_a_suite_that_is_broken_off_leaves_nothing_behind(signum):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD],
        cwd=paths.CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as suite:
        assert suite.stdout is not None
        url = suite.stdout.readline().decode().strip()
        sockets = Path(parse_qs(urlsplit(url).query)["host"][0])
        assert sockets.exists()

        suite.send_signal(signum)

    assert processes.wait_until(lambda: not sockets.parent.exists(), seconds=PATIENCE)
    assert not processes.working_in(paths.cluster_dir(sockets.parent))


def test_a_named_server_is_used_instead(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://second")
    monkeypatch.setenv("RUBRICSTUDIO_TEST_DATABASE_URL", "postgresql://first")

    assert pg.named_url() == "postgresql://first"


def test_the_suite_reaches_no_other_machine():
    with (
        socket.socket() as outward,
        pytest.warns(UserWarning, match="192.0.2.1"),
        pytest.raises(pytest_socket.SocketConnectBlockedError),
    ):
        outward.connect(("192.0.2.1", 80))


def test_the_suite_has_a_database():
    assert os.environ["DATABASE_URL"].startswith("postgres")
