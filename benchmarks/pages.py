"""Pages at full size, over HTTP from one web process: the list of 100,000 prompts, home with 50
projects of as many, and a response of 1 MB.

    python -m benchmarks.pages [--prompts 100000] [--projects 50] [--requests 100]

One line of JSON a figure: the 95th percentile of the time to the last byte in milliseconds, the
size of the page, and how many statements it takes. `floor_ms` is the same percentile of the
least page there is for somebody who is signed in (/help/), so what session and frame cost.
`first_paint_ms` and `dom_nodes` are Chromium's, where there is one. The database is the embedded
one, or that of DATABASE_URL.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2

from rubricstudio.local.database import borrow_database

WARM_UP = 10
BIG_RESPONSE = 1_000_000
APART = 10_000_000  # between the ids of a copy and those of its original
CHROMIUM = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prompts", type=int, default=100_000)
    parser.add_argument("--projects", type=int, default=50)
    parser.add_argument("--requests", type=int, default=100)
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "rubricstudio.settings.dev"
    with tempfile.TemporaryDirectory(prefix="rubricstudio-bench-") as folder:
        os.environ["RUBRICSTUDIO_DATA"] = folder
        with borrow_database():
            subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], check=True)
            measure(Path(folder), options)


def measure(folder: Path, options: argparse.Namespace) -> None:
    import django

    django.setup()
    fill(folder, options.prompts)
    copy_project(options.projects - 1)
    cookie = sign_in()
    with web() as address, httpx2.Client(base_url=address, cookies=cookie) as client:
        floor = percentile(client, "/help/", options.requests)
        for figure, path, facts in pages(client, options):
            p95, size = percentile(client, path, options.requests), len(client.get(path).content)
            report(
                figure, p95_ms=p95, floor_ms=floor, bytes=size, queries=statements(path), **facts
            )
        painted = first_paint(address, cookie, "/p/bench/rollouts/1/")
        if painted:
            report("pages.big_response_painted", **painted, bytes=BIG_RESPONSE)


def pages(client: httpx2.Client, options: argparse.Namespace) -> Iterator[tuple[str, str, Any]]:
    many = {"prompts": options.prompts}
    yield "pages.prompt_list", "/p/bench/prompts/", many
    deep = options.prompts // 2
    yield "pages.prompt_list_deep", f"/p/bench/prompts/?after={deep}", many
    yield "pages.home", "/", {**many, "projects": options.projects}
    yield "pages.overview", "/p/bench/", many
    yield "pages.big_response", "/p/bench/rollouts/1/", {"characters": BIG_RESPONSE}


def fill(folder: Path, prompts: int) -> None:
    """A project by the real import, with one response of 1 MB to its first prompt."""
    rows, answers = folder / "prompts.jsonl", folder / "rollouts.jsonl"
    with rows.open("w") as file:
        for number in range(prompts):
            text = f"Question {number}: " + "why does the sea have tides? " * 25
            file.write(json.dumps({"id": f"prompt-{number}", "prompt": text}) + "\n")
    words = "The **Moon** pulls the water, 海 and all.\n\n"
    big = words * (BIG_RESPONSE // len(words))
    answers.write_text(json.dumps({"prompt_id": "prompt-0", "response": big}) + "\n")
    here = ("--project", "bench")
    manage("import_prompts", str(rows), *here)
    manage("import_rollouts", str(answers), *here, "--policy", "one")


def manage(*arguments: str) -> None:
    command = [sys.executable, "manage.py", *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def copy_project(times: int) -> None:
    """Projects as full as the first. Their rows are written without the checks of an import."""
    from apps.accounts.models import Project, ProjectCounter
    from apps.prompts.models import Prompt, PromptRevision

    original = Project.objects.get(slug="bench")
    for number in range(1, times + 1):
        project = Project.objects.create(slug=f"bench-{number}", name=f"Bench {number}")
        counters = ProjectCounter.objects.filter(project=original).values_list("kind", "last")
        ProjectCounter.objects.bulk_create(
            ProjectCounter(project=project, kind=kind, last=last) for kind, last in counters
        )
        away = number * APART
        copy_rows(PromptRevision, {"id": f"id + {away}", "prompt_id": f"prompt_id + {away}"})
        moved = {"id": f"id + {away}", "current_id": f"current_id + {away}"}
        copy_rows(Prompt, {**moved, "project_id": str(project.pk)})


def copy_rows(model: Any, changed: dict[str, str]) -> None:
    from django.db import connection

    columns = [field.column for field in model._meta.concrete_fields]
    values = [changed.get(column, column) for column in columns]
    table = model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) "  # noqa: S608 - our own tables
            f"SELECT {', '.join(values)} FROM {table} WHERE id < {APART}"
        )
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute(f"ANALYZE {table}")


def sign_in() -> dict[str, str]:
    """The session cookie of an administrator of the installation."""
    from django.test import Client

    from apps.accounts.models import User

    user = User.objects.create_superuser("bench")
    client = Client()
    client.force_login(user)
    return {"sessionid": client.cookies["sessionid"].value}


def statements(path: str) -> int:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from apps.accounts.models import User

    client = Client(headers={"host": "localhost"})
    client.force_login(User.objects.get(username="bench"))
    with CaptureQueriesContext(connection) as queries:
        client.get(path)
    return len(queries)


@contextlib.contextmanager
def web() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--workers", "1"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--blocking-threads", "8"]
    process = subprocess.Popen(
        [*command, "rubricstudio.wsgi:application"], stdout=subprocess.DEVNULL
    )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(address)
        yield address
    finally:
        process.terminate()
        process.wait(30)


def wait_for(address: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with contextlib.suppress(httpx2.HTTPError):
            httpx2.get(f"{address}/sign-in/", timeout=5)
            return
        time.sleep(0.2)
    raise SystemExit("the web process did not answer within 60 s")


def percentile(client: httpx2.Client, path: str, requests: int) -> float:
    times = []
    for number in range(WARM_UP + requests):
        started = time.perf_counter()
        answer = client.get(path)
        if number >= WARM_UP:
            times.append(1000 * (time.perf_counter() - started))
        if answer.status_code != httpx2.codes.OK:
            raise SystemExit(f"{path} answers {answer.status_code}")
    return statistics.quantiles(times, n=20)[-1]


def first_paint(address: str, cookie: dict[str, str], path: str) -> dict[str, float] | None:
    """When Chromium first painted the page, and how many nodes it made of it."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        return None
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(CHROMIUM))
        context = browser.new_context()
        context.add_cookies([{"name": k, "value": v, "url": address} for k, v in cookie.items()])
        page = context.new_page()
        page.goto(address + "/help/")  # the browser itself is warm then
        page.goto(address + path)
        paint = page.evaluate(
            "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
        )
        nodes = page.evaluate("document.querySelectorAll('*').length")
        browser.close()
    return {"first_paint_ms": paint, "dom_nodes": nodes}


def report(figure: str, **facts: float) -> None:
    rounded = {key: round(value, 1) if value is not None else None for key, value in facts.items()}
    print(json.dumps({"figure": figure, **rounded}), flush=True)


if __name__ == "__main__":
    main()
