"""Moving a data folder of an older PostgreSQL; the older one is Debian's, where it is installed."""

from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from rubricstudio.local import move, paths, postgres
from rubricstudio.local.binaries import find_binaries, find_major
from rubricstudio.local.database import borrow_database
from rubricstudio.local.errors import DatabaseError, LocalError
from rubricstudio.local.identity import choose_identity
from rubricstudio.local.postgres import Cluster
from rubricstudio.local.queue import install_queue

OLD = 15


@pytest.fixture
def old_data(data: Path) -> Path:
    """A data folder that PostgreSQL 15 wrote, with a table, the queue and a message in it."""
    try:
        binaries = find_major(OLD)
    except DatabaseError as error:
        pytest.skip(str(error))
    cluster = embedded(data, binaries)
    cluster.prepare()
    process = cluster.start()
    with psycopg.connect(paths.embedded_database_url(cluster.sockets)) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 'Ärger, 안녕' AS words")
        install_queue(connection)
        connection.execute("SELECT pgmq.create('work')")
        connection.execute("SELECT pgmq.send('work', '{\"n\": 1}')")
    postgres.stop(process)
    return data


def embedded(data: Path, binaries) -> Cluster:
    found = postgres.embedded_cluster(data, postgres.UNSAFE_AND_FAST)
    identity = choose_identity(found.folder, data=data, binaries=binaries)
    return replace(found, binaries=binaries, identity=identity)


def test_a_moved_database_has_its_rows_and_its_queue(old_data, monkeypatch, capsys):
    monkeypatch.setenv("RUBRICSTUDIO_DATA", str(old_data))

    assert move.main([]) == 0

    cluster = postgres.embedded_cluster(old_data, postgres.UNSAFE_AND_FAST)
    process = cluster.start()
    with psycopg.connect(paths.embedded_database_url(cluster.sockets)) as connection:
        assert connection.execute("SELECT words FROM kept").fetchone() == ("Ärger, 안녕",)
        assert connection.execute("SELECT message FROM pgmq.read('work', 1, 1)").fetchone() == (
            {"n": 1},
        )
    postgres.stop(process)


def test_the_old_cluster_is_kept_beside_the_new_one(old_data):
    kept = move.move(embedded(old_data, find_binaries()))

    assert kept == old_data / "postgres" / "cluster-15"
    assert (old_data / "postgres" / "cluster-15" / "PG_VERSION").read_text().strip() == "15"
    assert embedded(old_data, find_binaries()).major == find_binaries().major


def test_a_move_that_fails_leaves_the_old_cluster_in_its_place(old_data, monkeypatch):
    monkeypatch.setattr(move, "_address", lambda cluster: ["--host=/nowhere"])

    with pytest.raises(DatabaseError, match="could not be copied"):
        move.move(embedded(old_data, find_binaries()))

    assert embedded(old_data, find_binaries()).major == OLD


def test_a_folder_of_this_version_is_left_alone(made):
    assert move.move(embedded(made, find_binaries())) is None


def test_a_folder_without_a_database_says_so(data):
    with pytest.raises(DatabaseError, match="no database"):
        move.move(embedded(data, find_binaries()))


def test_a_database_in_use_is_not_moved(made, monkeypatch, nothing_named):
    monkeypatch.setenv("RUBRICSTUDIO_DATA", str(made))

    with borrow_database(made), pytest.raises(LocalError, match="stop it first"):
        move.main([])
