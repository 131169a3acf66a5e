import contextlib
import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from rubricstudio.local import identity, paths, postgres, processes
from rubricstudio.local.binaries import find_major
from rubricstudio.local.errors import DatabaseError, OtherMajorError
from tests.local.observing import PATIENCE

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can do this")


@pytest.fixture
def cluster(data: Path) -> postgres.Cluster:
    return postgres.embedded_cluster(data, postgres.UNSAFE_AND_FAST)


@contextlib.contextmanager
def running(cluster: postgres.Cluster) -> Iterator[subprocess.Popen[bytes]]:
    cluster.prepare()
    process = cluster.start()
    try:
        yield process
    finally:
        postgres.stop(process)


def ask(data: Path, query: str, *, after: str = "SELECT 1") -> object:
    with psycopg.connect(paths.embedded_database_url(paths.socket_dir(data))) as connection:
        connection.execute(after)
        row = connection.execute(query).fetchone()
    return row[0] if row else None


def test_a_new_cluster_keeps_its_rows_over_a_restart(cluster, data):
    with running(cluster):
        ask(data, "INSERT INTO kept VALUES (42) RETURNING n", after="CREATE TABLE kept (n int)")

    with running(cluster):
        assert ask(data, "SELECT n FROM kept") == 42


def test_the_database_listens_on_no_port(cluster, data):
    with running(cluster):
        assert ask(data, "SHOW listen_addresses") == ""


def test_the_database_orders_by_code_point_on_every_machine(cluster, data):
    query = "SELECT string_agg(c, '' ORDER BY c) FROM unnest('{ä,a,Z}'::text[]) AS c"

    # Z is U+005A, a is U+0061, ä is U+00E4
    with running(cluster):
        assert ask(data, query) == "Zaä"


def test_a_path_with_spaces_and_capitals_serves_as_well(data):
    odd = data / "My Data, 'quoted'"
    cluster = postgres.embedded_cluster(odd, postgres.UNSAFE_AND_FAST)

    with running(cluster):
        assert ask(odd, "SELECT 1") == 1
    shutil.rmtree(paths.socket_dir(odd))


def test_an_interrupted_first_start_is_begun_again(cluster, data):
    unfinished = cluster.folder.with_name("cluster.unfinished")
    unfinished.mkdir()
    (unfinished / "PG_VERSION").write_text("18")

    cluster.prepare()

    assert cluster.major == cluster.binaries.major
    assert not unfinished.exists()


def test_a_pid_file_that_names_a_stranger_does_not_hinder_the_start(cluster, data):
    cluster.prepare()
    # The number of some process that lives and is not a PostgreSQL: this one.
    (cluster.folder / "postmaster.pid").write_text(f"{os.getpid()}\n{cluster.folder}\n")

    with running(cluster):
        assert ask(data, "SELECT 1") == 1


def test_a_killed_postmaster_is_followed_by_a_new_one(cluster, data):
    cluster.prepare()
    process = cluster.start()
    process.kill()
    process.wait()

    with running(cluster):
        assert ask(data, "SELECT 1") == 1


@pytest.mark.skipif(not processes.ON_LINUX, reason="only Linux tells children of their parent")
def test_the_postmaster_shuts_down_when_its_starter_is_killed(cluster, data):
    cluster.prepare()
    program = (
        "import sys, time; from pathlib import Path; from rubricstudio.local import postgres;"
        "postgres.embedded_cluster(Path(sys.argv[1])).start(); print('on', flush=True);"
        "time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(data)], stdout=subprocess.PIPE, cwd=paths.CHECKOUT
    ) as starter:
        assert starter.stdout is not None
        assert starter.stdout.readline() == b"on\n"

        starter.kill()

    assert processes.wait_until(lambda: not processes.working_in(cluster.folder), seconds=PATIENCE)
    assert "database system is shut down" in cluster.log.read_text()


def test_a_cluster_of_an_older_major_names_the_command_that_moves_it(cluster):
    cluster.folder.mkdir()
    (cluster.folder / "PG_VERSION").write_text("15\n")

    with pytest.raises(OtherMajorError, match=r"written by PostgreSQL 15 .* manage.py move_data"):
        cluster.prepare()


def test_a_cluster_of_a_newer_major_asks_for_the_newer_program(cluster):
    cluster.folder.mkdir()
    (cluster.folder / "PG_VERSION").write_text("99\n")

    with pytest.raises(OtherMajorError, match="use the newer version"):
        cluster.prepare()


def test_programs_of_a_major_that_is_not_installed_name_the_package():
    with pytest.raises(DatabaseError, match="apt-get install postgresql-12"):
        find_major(12)


@needs_root
def test_a_full_disk_is_said_before_anything_is_written(data):
    with small_disk(data / "disk", megabytes=20) as disk:
        cluster = postgres.embedded_cluster(disk / "data")

        with pytest.raises(DatabaseError, match=r"is full \(\d+ MB free, 300 MB needed\)"):
            cluster.prepare()


@needs_root
def test_a_disk_that_fills_up_meanwhile_is_recognised(data, monkeypatch):
    monkeypatch.setattr(postgres, "ROOM_FOR_A_NEW_CLUSTER", 0)
    with small_disk(data / "disk", megabytes=20) as disk:
        cluster = postgres.embedded_cluster(disk / "data")

        with pytest.raises(DatabaseError, match=r"is full .* RUBRICSTUDIO_DATA"):
            cluster.prepare()


open_checkout = pytest.mark.skipif(
    any(not folder.stat().st_mode & 0o001 for folder in paths.CHECKOUT.parents),
    reason="the checkout lies in a folder that the user nobody cannot enter",
)


@needs_root
@open_checkout
def test_root_without_user_namespaces_serves_as_nobody(data, forbidden_namespaces):
    data.chmod(0o755)  # nobody must be able to come this far
    cluster = postgres.embedded_cluster(data / "data", postgres.UNSAFE_AND_FAST)

    with running(cluster):
        assert ask(data / "data", "SELECT 1") == 1
    assert cluster.folder.stat().st_uid == pwd.getpwnam("nobody").pw_uid


@needs_root
@open_checkout
def test_root_without_user_namespaces_in_a_closed_folder_is_told_why(data, forbidden_namespaces):
    with pytest.raises(DatabaseError, match=r"forbids user namespaces and .* cannot enter"):
        postgres.embedded_cluster(data / "data")


@pytest.fixture
def forbidden_namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "IN_A_NAMESPACE", ("false",))


class small_disk:
    """A file system of a few megabytes in memory."""

    def __init__(self, folder: Path, *, megabytes: int) -> None:
        self.folder = folder
        self.size = f"size={megabytes}m"

    def __enter__(self) -> Path:
        self.folder.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", self.size, "tmpfs", str(self.folder)]
        if subprocess.run(mount, capture_output=True).returncode:
            pytest.skip("this machine lets nobody mount a file system")
        return self.folder

    def __exit__(self, *_: object) -> None:
        subprocess.run(["umount", str(self.folder)], check=True)


def test_a_stop_lets_the_database_close_in_order(cluster):
    with running(cluster) as process:
        pass

    assert process.returncode == 0
    assert "received fast shutdown request" in cluster.log.read_text()
