import os
from pathlib import Path

import pytest
from pgmq.base import PGMQConfig
from psycopg.conninfo import conninfo_to_dict

from rubricstudio.local import paths
from rubricstudio.local.errors import LocalError
from rubricstudio.settings.database import parse_database_url

pytestmark = pytest.mark.usefixtures("nothing_named")


def test_the_data_folder_lies_in_the_checkout_unless_it_is_named(monkeypatch, tmp_path):
    monkeypatch.delenv("RUBRICSTUDIO_DATA", raising=False)
    assert paths.data_dir() == paths.CHECKOUT / ".data"

    monkeypatch.setenv("RUBRICSTUDIO_DATA", str(tmp_path))
    assert paths.data_dir() == tmp_path


def test_the_database_socket_lies_in_a_data_folder_with_a_short_plain_name():
    assert paths.socket_dir(Path("/srv/studio")) == Path("/srv/studio/sockets")


@pytest.mark.parametrize("name", ["/srv/My Data", "/srv/UPPER", "/srv/" + "x" * 90, "/srv/ä"])
def test_the_database_socket_of_another_data_folder_gets_a_short_plain_folder(name):
    folder = paths.socket_dir(Path(name))

    assert paths.PLAIN_PATH.fullmatch(str(folder))
    assert len(str(folder)) < 40
    assert folder == paths.socket_dir(Path(name))


def test_two_data_folders_never_share_a_socket_folder():
    assert paths.socket_dir(Path("/srv/A")) != paths.socket_dir(Path("/srv/B"))


def test_settings_read_the_address_of_the_embedded_database():
    url = paths.database_url(Path("/srv/studio"))

    found = parse_database_url(url)
    assert found["HOST"] == "/srv/studio/sockets"
    assert found["NAME"] == "rubricstudio"


def test_a_named_database_wins_and_carries_the_queue(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://ann:pw@db:6000/studio")

    assert paths.database_url() == "postgresql://ann:pw@db:6000/studio"
    assert paths.broker_url() == "pgmq://ann:pw@db:6000/studio"


def test_the_queue_finds_a_socket_and_its_port(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://ann@/studio?host=/srv/sockets&port=6000")

    assert paths.broker_url() == "pgmq://ann@%2Fsrv%2Fsockets:6000/studio"


def test_a_named_broker_wins(monkeypatch):
    monkeypatch.setenv("CELERY_BROKER_URL", "amqp://guest@127.0.0.1//")

    assert paths.broker_url() == "amqp://guest@127.0.0.1//"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (
            "postgresql://Ann%20O'Neil:p%27%5C%20w@db:6000/R%C3%A4d%20Test?sslmode=verify-full",
            {
                **{"user": "Ann O'Neil", "password": "p'\\ w", "dbname": "Räd Test"},
                **{"host": "db", "port": "6000", "sslmode": "verify-full"},
            },
        ),
        (
            "postgresql://ann@/studio?host=%2Fsrv%2FMy%20Sockets",
            {"user": "ann", "dbname": "studio", "host": "/srv/My Sockets", "port": "5432"},
        ),
    ],
)
def test_the_queue_connects_as_the_tables_do(monkeypatch, url, expected):
    monkeypatch.setenv("DATABASE_URL", url)

    told = conninfo_to_dict(PGMQConfig(conn_string=paths.queue_connection()).dsn)

    assert {name: value for name, value in told.items() if value} == expected


def test_a_queue_that_is_named_apart_is_not_looked_for_beside_the_tables(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://ann@db/studio")
    monkeypatch.setenv("CELERY_BROKER_URL", "pgmq://bob@%2Fsrv%2FSockets:6000/queue")

    told = conninfo_to_dict(PGMQConfig(conn_string=paths.queue_connection()).dsn)

    assert (told["user"], told["host"], told["dbname"]) == ("bob", "/srv/Sockets", "queue")


def test_a_named_model_server_wins_over_the_embedded_one(monkeypatch, tmp_path):
    paths.write_state(tmp_path, "model", {"LLM_BASE_URL": "http://127.0.0.1:1/v1"})
    monkeypatch.setenv("LLM_BASE_URL", "http://gpu:8000/v1")
    monkeypatch.setenv("LLM_MODEL", "big")

    found = paths.model_environment(tmp_path)
    assert found == {"LLM_BASE_URL": "http://gpu:8000/v1", "LLM_MODEL": "big"}


def test_without_any_model_server_the_environment_is_empty(tmp_path):
    assert paths.model_environment(tmp_path) == {}


def test_a_secret_that_cannot_be_read_is_told_with_the_way_out(monkeypatch, tmp_path):
    monkeypatch.setenv("RUBRICSTUDIO_DATA", str(tmp_path))
    (tmp_path / "some.key").mkdir()  # which nobody reads, not even root

    with pytest.raises(LocalError, match=r"some.key cannot be written or read \(Is a directory\)"):
        paths.secret("some.key")


def test_a_secret_is_made_once_and_only_its_owner_reads_it(monkeypatch, tmp_path):
    monkeypatch.setenv("RUBRICSTUDIO_DATA", str(tmp_path / "data"))

    first = paths.secret("some.key")

    assert paths.secret("some.key") == first
    assert len(first) >= 48
    assert (tmp_path / "data" / "some.key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["some.key"]


def test_a_folder_that_is_only_a_link_is_refused(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)

    with pytest.raises(LocalError, match="belongs to another user"):
        paths.private_dir(tmp_path / "link")


def test_a_state_file_holds_what_was_written_last(tmp_path):
    paths.write_state(tmp_path, "model", {"pid": 1})
    paths.write_state(tmp_path, "model", {"pid": os.getpid()})

    assert paths.read_state(tmp_path, "model") == {"pid": os.getpid()}
