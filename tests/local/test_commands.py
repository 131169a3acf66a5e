"""What a command finds running; the database is real, Django's command only notes what it saw."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import nullcontext
from functools import partial

import psycopg
import pytest

from rubricstudio.local import commands, migrations, paths, processes
from rubricstudio.local.errors import LocalError


@pytest.fixture
def borrowed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the command asked for, in order, instead of the thing itself."""
    asked: list[str] = []

    def ask(name: str) -> object:
        asked.append(name)
        return nullcontext()

    monkeypatch.setattr(commands, "borrow_database", partial(ask, "database"))
    monkeypatch.setattr(commands, "borrow_model", partial(ask, "model"))
    monkeypatch.setattr(commands, "migrate_if_needed", partial(ask, "migrations"))
    return asked


@pytest.mark.parametrize(
    ("line", "needs"),
    [
        ("judge --project p", ["database", "migrations", "model"]),
        ("make_specs --project p --no-model", ["database", "migrations"]),
        ("import_prompts f --project p", ["database", "migrations"]),
        ("migrate", ["database"]),
        ("makemigrations --check", []),
        ("help", []),
        ("judge --help", []),
        ("--version", []),
        ("", []),
    ],
)
def test_a_command_gets_what_it_needs_and_no_more(line, needs, borrowed):
    assert commands.run(line.split(), django=lambda: None) == 0

    assert borrowed == needs


def test_a_reason_not_to_start_is_one_sentence_and_a_failure(monkeypatch, capsys):
    def refuse() -> None:
        raise LocalError("The disk is full.")

    monkeypatch.setattr(commands, "borrow_database", refuse)

    assert commands.run(["judge"], django=lambda: None) == 1
    assert capsys.readouterr().err == "The disk is full.\n"


def test_a_model_that_cannot_run_here_leaves_the_command_to_find_another(
    borrowed, monkeypatch, capsys
):
    def refuse() -> None:
        raise LocalError("No AVX2.")

    monkeypatch.setattr(commands, "borrow_model", refuse)

    assert commands.run(["judge"], django=lambda: print("{}")) == 0
    assert capsys.readouterr() == ("{}\n", "No AVX2.\n")


@pytest.mark.slow
@pytest.mark.xdist_group("studio")
@pytest.mark.timeout(600)
def test_a_command_brings_its_database_and_leaves_nothing_running(first_command):
    assert (first_command.returncode, first_command.stdout) == (0, "{}\n")
    assert "Applying accounts" in first_command.stderr
    assert not processes.working_in(paths.cluster_dir(first_command.data))


def test_a_database_without_the_projects_migrations_is_noticed():
    on_disk = migrations.migrations_on_disk(set())

    assert migrations.Migration("accounts", "0001_initial") in on_disk


def test_migrations_of_django_count_for_its_apps_that_are_in_use():
    session = migrations.Migration("sessions", "0001_initial")

    assert session in migrations.migrations_on_disk({session})
    assert session not in migrations.migrations_on_disk(set())


def test_a_database_that_does_not_answer_says_so(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")

    with pytest.raises(LocalError, match="The database that DATABASE_URL names does not answer"):
        migrations.migrate_if_needed()


@pytest.mark.parametrize(
    "address",
    [
        "nonsense",
        "mysql://me@here/name",
        "postgresql://me@here",
        "postgresql://me@here:port/name",
        "postgresql://me@[here/name",
    ],
)
def test_what_is_no_address_of_a_database_is_refused_by_every_command(address, monkeypatch, capsys):
    monkeypatch.setenv("DATABASE_URL", address)

    assert commands.run(["reward"], django=lambda: None) == 1
    assert "DATABASE_URL must look like postgresql://" in capsys.readouterr().err


def test_ctrl_c_is_answered_at_once_and_without_a_traceback():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://nobody@127.0.0.1:{silent.getsockname()[1]}/none"
        command = subprocess.Popen(
            [sys.executable, "manage.py", "reward", "--project", "tides"],
            cwd=paths.CHECKOUT,
            env={**os.environ, "DATABASE_URL": address},
            stderr=subprocess.PIPE,
            text=True,
        )
        asking, _ = silent.accept()
        with asking:  # and gets no answer
            command.send_signal(signal.SIGINT)
            _, said = command.communicate(timeout=60)

    assert (command.returncode, said) == (130, "Interrupted: stopping what was started ...\n")


def test_an_option_that_no_connection_has_is_told_in_a_sentence(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none?nonsense=1")

    with pytest.raises(
        LocalError, match='does not answer: invalid URI query parameter: "nonsense"'
    ):
        migrations.migrate_if_needed()


@pytest.mark.django_db
def test_a_database_with_every_migration_needs_none(settings):
    named = settings.DATABASES["default"]
    with psycopg.connect(
        host=named["HOST"], user=named["USER"], dbname=named["NAME"], port=named["PORT"] or None
    ) as connection:
        applied = migrations.applied_in(connection)

    assert migrations.migrations_on_disk(applied) <= applied


def test_a_migration_that_fails_names_its_log(tmp_path, monkeypatch):
    (tmp_path / "manage.py").write_text("raise SystemExit('no such column')")
    monkeypatch.setattr(paths, "CHECKOUT", tmp_path)
    monkeypatch.setattr(migrations, "migrations_on_disk", lambda applied: {("new", "0001")})

    with pytest.raises(LocalError, match=r"not be brought up to date; the log is .*migrate\.log"):
        migrations.migrate_if_needed(log=tmp_path / "migrate.log")

    assert (tmp_path / "migrate.log").read_text() == "no such column\n"
