"""An import is there as a whole or not at all, whoever dies and whoever else imports."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from urllib.parse import quote

import pytest
from django.db import connection

from apps.prompts.models import Import, Prompt, PromptRevision
from apps.prompts.services import ImportFile, import_prompts, pipeline
from apps.prompts.services.writing import PromptWriter
from tests.factories import make_project

pytestmark = pytest.mark.django_db(transaction=True)

IMPORT_LOCK = """
SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND datname = current_database() AND granted
"""


def database_url():
    """The address of the test's own database, for a process beside it."""
    named = connection.settings_dict
    host, port = named["HOST"] or "", named["PORT"] or "5432"
    where = f"?host={quote(host, safe='')}&port={port}" if host.startswith("/") else ""
    place = "" if where else f"{host}:{port}"
    return f"postgresql://{named['USER']}:{named['PASSWORD']}@{place}/{named['NAME']}{where}"


def start_import(path, slug):
    return subprocess.Popen(
        [sys.executable, "-m", "django", "import_prompts", str(path), "--project", slug],
        env={
            **os.environ,
            "DATABASE_URL": database_url(),
            "DJANGO_SETTINGS_MODULE": "rubricstudio.settings.test",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def wait_until_importing():
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            cursor.execute(IMPORT_LOCK)
            if cursor.fetchone()[0]:
                return
        time.sleep(0.02)
    pytest.fail("the import did not begin")


def test_an_import_that_is_killed_leaves_nothing_and_can_be_done_again(save):
    project = make_project()
    path = save([{"id": n, "prompt": f"Why {n}? " * 100} for n in range(20_000)])

    with start_import(path, project.slug) as process:
        wait_until_importing()
        time.sleep(0.3)
        os.kill(process.pid, signal.SIGKILL)
        output, _errors = process.communicate()

    assert (process.returncode, output) == (-signal.SIGKILL, b"")
    assert (Prompt.objects.count(), Import.objects.count()) == (0, 0)

    result = import_prompts(project, ImportFile(path))

    assert result.tally.new == 20_000
    assert PromptRevision.objects.count() == 20_000
    assert Prompt.objects.order_by("-number").values_list("number", flat=True)[0] == 20_000


def test_imports_at_the_same_time_take_turns(save, monkeypatch):
    monkeypatch.setattr(pipeline, "BATCH_ROWS", 10)
    project = make_project()
    # Files 0, 1, 2 … share the prompts between them: 0-99, 50-149, 100-199 …
    paths = [
        save([{"id": n, "prompt": f"Why {n}?"} for n in range(50 * i, 50 * i + 100)], f"{i}.jsonl")
        for i in range(6)
    ]
    tallies = []

    def take(path):
        with contextlib.closing(connection):
            tallies.append(import_prompts(project, ImportFile(path)).tally)

    threads = [threading.Thread(target=take, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    # 6 files of 100 rows over 350 prompts
    assert Prompt.objects.count() == 350
    assert sum(tally.new for tally in tallies) == 350
    assert sum(tally.identical for tally in tallies) == 250
    assert set(Import.objects.values_list("number", flat=True)) == set(range(1, 7))


def test_a_file_that_breaks_in_the_middle_leaves_nothing(save, monkeypatch):
    monkeypatch.setattr(pipeline, "BATCH_ROWS", 10)
    project = make_project()
    path = save([{"id": n, "prompt": f"Why {n}?"} for n in range(100)])
    threads, writes = threading.active_count(), iter(range(5))

    def write_five(writer, batch):
        next(writes)
        write(writer, batch)

    write = PromptWriter.write
    monkeypatch.setattr(PromptWriter, "write", write_five)

    with pytest.raises(StopIteration):
        import_prompts(project, ImportFile(path))

    assert Prompt.objects.count() == 0
    assert threading.active_count() == threads
