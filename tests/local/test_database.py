import psycopg

from rubricstudio.local import paths, processes
from rubricstudio.local.database import borrow_database
from rubricstudio.local.queue import install_queue


def test_borrowing_brings_the_database_up_and_takes_it_down(data, nothing_named):
    with borrow_database(data), psycopg.connect(paths.database_url(data)) as connection:
        assert connection.execute("SELECT current_database()").fetchone() == ("rubricstudio",)

    assert not processes.working_in(paths.cluster_dir(data))


def test_a_named_database_is_not_ours_to_start(data, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://somewhere/else")

    with borrow_database(data) as share:
        assert share is None

    assert list(data.iterdir()) == []


def test_a_second_borrower_in_the_same_process_shares_the_database(made, nothing_named):
    with borrow_database(made), borrow_database(made):
        pass

    assert not processes.working_in(paths.cluster_dir(made))


def test_the_queue_is_installed_once(made, nothing_named):
    with (
        borrow_database(made),
        psycopg.connect(paths.database_url(made)) as connection,
    ):
        assert install_queue(connection)

        assert not install_queue(connection)
        connection.execute("SELECT pgmq.create('work')")
