"""Freezing 10,000 specs and exporting 100,000 rows, against writing the same bytes in the same run.

    python -m benchmarks.bundles [--specs 10000] [--rows 100000]

The figures, one line of JSON each: the floor (the bytes of the bundle, written to a file),
approving and freezing them into the database, freezing again what was frozen, writing the folder,
verifying it; then a file of rows, about 1 kB each: its floor, written to a folder, and read over
HTTP from a web server. Each is measured in a process of its own, so that its peak memory is its
own; for HTTP, `peak_rss_mb` is the server's and `rss_grown_mb` what the download added to it. CPU
is that of the process and of its database connection. The database is the embedded one, or that of
DATABASE_URL.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import psutil

from benchmarks._cost import cost_of
from rubricstudio.local import parts, paths
from rubricstudio.local.database import borrow_database

CRITERIA = 10
WORDS = "The Moon pulls the water of the sea and so it rises and falls twice a day. "
AT_ONCE = 2_000
ROWS_FILE = "rows.jsonl"
ROWS_PROJECT = "rows"
SPECS_PROJECT = "specs"
REVIEWER = "reviewer"
Figures = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--specs", type=int, default=10_000)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--measure", choices=MEASURES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "rubricstudio.settings.dev"
    if options.measure:
        measure(options.measure)
    else:
        measure_all(options.specs, options.rows)


def measure_all(specs: int, rows: int) -> None:
    with tempfile.TemporaryDirectory(prefix="rubricstudio-bench-") as folder:
        os.environ["RUBRICSTUDIO_DATA"] = folder
        with borrow_database():
            prepare(specs, rows)
            frozen, again = in_process("freeze"), in_process("freeze")
            floor = in_process("floor_specs")
            report("bundle floor, plain writing", specs, floor)
            report(
                "approve and freeze", specs, frozen, of_floor=floor["seconds"] / frozen["seconds"]
            )
            report("freeze what was frozen", specs, again)
            report("write the folder", specs, in_process("write_specs"))
            report("verify the folder", specs, in_process("verify"))
            floor = in_process("floor_rows")
            report("export floor, plain writing", rows, floor)
            written = in_process("write_rows")
            report(
                "export to a folder", rows, written, of_floor=floor["seconds"] / written["seconds"]
            )
            report("export over HTTP", rows, measure_http(Path(folder)))


def report(name: str, rows: int, figures: Figures, **ratios: float) -> None:
    per_s = {"rows": rows, "rows_per_s": rows / figures["seconds"]}
    rounded = {key: round(value, 3) for key, value in (per_s | figures | ratios).items()}
    print(json.dumps({"benchmark": name, **rounded}), flush=True)


def in_process(kind: str) -> Figures:
    """The figures of one measure, taken by a new process."""
    command = [sys.executable, "-m", "benchmarks.bundles", "--measure", kind]
    child = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    figures: Figures = json.loads(child.stdout)
    return figures


def measure(kind: str) -> None:
    import django

    django.setup()
    # Loading the application is no part of freezing or exporting.
    import_module("apps.bundles.services")
    import_module("apps.rewards.services")
    _, cost = cost_of(MEASURES[kind])
    figures = {**cost._asdict(), "peak_rss_mb": peak_of(psutil.Process())}
    print(json.dumps(figures))


def prepare(specs: int, rows: int) -> None:
    """A project with specs to approve, and one whose bundle has a file of so many rows."""
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], check=True)
    import django

    django.setup()
    from apps.accounts.models import Role
    from apps.accounts.services import get_or_create_project
    from tests import factories

    project = get_or_create_project(slug=SPECS_PROJECT)
    factories.make_member(project, Role.REVIEWER, user=factories.make_user(REVIEWER))
    source = factories.make_import(project, licence="CC0-1.0")
    for start in range(0, specs, AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, specs))
        make_specs(make_revisions(project, source, numbers))
    make_rows(get_or_create_project(slug=ROWS_PROJECT), rows)


def make_revisions(project: Any, source: Any, numbers: Iterable[int]) -> list[Any]:
    """Prompts with their texts, in bulk."""
    from apps.prompts.models import Prompt, PromptRevision

    prompts = Prompt.objects.bulk_create(
        Prompt(project=project, number=number + 1, key=f"p{number:06d}", has_external_id=True)
        for number in numbers
    )
    nothing = {"text_sha256": "", "excerpt": "", "characters": 0, "content_sha256": ""}
    messages = [{"role": "user", "content": WORDS * 5}]
    revisions = PromptRevision.objects.bulk_create(
        PromptRevision(prompt=prompt, revision=1, messages=messages, source=source, **nothing)
        for prompt in prompts
    )
    for prompt, revision in zip(prompts, revisions, strict=True):
        prompt.current = revision
    Prompt.objects.bulk_update(prompts, ["current"])
    return revisions


def make_specs(revisions: list[Any]) -> None:
    """Drafts of ten criteria and a checker, in bulk."""
    from apps.specs.models import Checker, Constraint, Criterion, Spec

    values = [spec_value(revision) for revision in revisions]
    specs = Spec.objects.bulk_create(
        Spec(
            prompt_revision=revision,
            version=1,
            spec_id=value.spec_id(),
            line=value.line().decode(),
            method=value.method,
        )
        for revision, value in zip(revisions, values, strict=True)
    )
    Criterion.objects.bulk_create(
        Criterion(
            spec=spec,
            position=place,
            key=one.key,
            text=one.text,
            weight=one.weight,
            content_sha256=one.content_hash(),
        )
        for spec, value in zip(specs, values, strict=True)
        for place, one in enumerate(value.criteria)
    )
    constraints = Constraint.objects.bulk_create(
        Constraint(spec=spec, position=0, type="word_count", origin="given") for spec in specs
    )
    Checker.objects.bulk_create(Checker(constraint=one) for one in constraints)


def spec_value(revision: Any) -> Any:
    from rubricstudio.core.checkers.registry import normalised
    from rubricstudio.core.types import Constraint, Criterion, Message, SpecValue

    return SpecValue(
        prompt_id=revision.prompt.key,
        prompt=tuple(Message.from_dict(one) for one in revision.messages),
        criteria=tuple(
            Criterion(f"c{place}", f"Names reason {place}. {WORDS}", 1.0 + place)
            for place in range(CRITERIA)
        ),
        constraints=(normalised(Constraint("word_count", {"op": "le", "value": 300})),),
    )


def make_rows(project: Any, rows: int) -> None:
    """A bundle with one file of lines as prompts.jsonl has them, 1 kB each."""
    from apps.bundles.services.storing import store_files
    from rubricstudio.core.bundle import FileEntry
    from tests import factories

    bundle = factories.make_bundle(project)
    row = {"prompt_id": "", "messages": [{"role": "user", "content": WORDS * 12}]}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ROWS_FILE
        with path.open("w", encoding="utf-8") as file:
            file.writelines(
                json.dumps({**row, "prompt_id": f"p{number:06d}"}) + "\n" for number in range(rows)
            )
        entry = FileEntry(ROWS_FILE, "0" * 64, path.stat().st_size, rows)
        store_files(bundle=bundle, folder=Path(folder), entries=[entry])


def freeze() -> None:
    from apps.accounts.models import User
    from apps.bundles.services import freeze
    from apps.rewards.services import config_named

    project = project_of(SPECS_PROJECT)
    config = config_named(project=project, name="default")
    reviewer = User.objects.get(username=REVIEWER)
    # The judge of the benchmark is none; what is measured is the same.
    freeze(project=project, config=config, approve_as=reviewer, waive="Bench.")


def write_folder(slug: str) -> None:
    from apps.bundles.services.exporting import export_bundle

    bundle = project_of(slug).bundles.get()
    export_bundle(bundle=bundle, folder=folder_of(slug))


def write_plainly(slug: str) -> None:
    """The floor: as many bytes as the bundle has, written to one file."""
    from django.db.models import Sum

    from apps.bundles.models import BundleFile

    found = BundleFile.objects.filter(bundle__project__slug=slug)
    left = found.aggregate(size=Sum("size"))["size"]
    piece = os.urandom(1024 * 1024)
    with (folder_of("floor")).open("wb") as file:
        while left > 0:
            left -= file.write(piece[:left])


def verify() -> None:
    from rubricstudio.core.bundle import verify_bundle

    verify_bundle(folder_of(SPECS_PROJECT)).require()


def project_of(slug: str) -> Any:
    from apps.accounts.selectors import get_project

    return get_project(slug)


def folder_of(name: str) -> Path:
    return Path(os.environ["RUBRICSTUDIO_DATA"]) / f"bench-{name}"


def measure_http(data: Path) -> Figures:
    """The rows read by a client, from a web server as `up` starts it."""
    from apps.accounts.models import Scope
    from apps.accounts.services import create_token

    project = project_of(ROWS_PROJECT)
    token = create_token(project=project, name="bench", scopes=[Scope.BUNDLES_READ]).plaintext
    bundle = project.bundles.get()
    with web_server(data) as (server, address):
        place = f"{address}/api/v1/bundles/{bundle.bundle_id}"
        download(f"{place}/files/README.md", token)
        before = resident(server)
        started = time.perf_counter()
        download(f"{place}/files/{ROWS_FILE}", token)
        seconds = time.perf_counter() - started
        peak = peak_of(server)
    return {"seconds": seconds, "peak_rss_mb": peak, "rss_grown_mb": peak - before}


def download(url: str, token: str) -> None:
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})  # noqa: S310 - our own server
    with urllib.request.urlopen(request) as reply:  # noqa: S310 - our own server
        while reply.read(1024 * 1024):
            pass


@contextmanager
def web_server(data: Path) -> Iterator[tuple[psutil.Process, str]]:
    """A server with one worker process; that process, and where it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (data / "web.log").open("wb") as log:
        server = subprocess.Popen(
            parts.web(port).command, cwd=paths.CHECKOUT, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        while not answers(port):
            if server.poll() is not None:
                sys.exit((data / "web.log").read_text())
            time.sleep(0.1)
        (worker,) = psutil.Process(server.pid).children()[-1:]
        yield worker, f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def resident(process: psutil.Process) -> float:
    return float(process.memory_info().rss) / 1024**2


def peak_of(process: psutil.Process) -> float:
    """The most memory it ever had, in MB."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return float(line.split()[1]) / 1024


MEASURES: dict[str, Callable[[], None]] = {
    "freeze": freeze,
    "floor_specs": partial(write_plainly, SPECS_PROJECT),
    "write_specs": partial(write_folder, SPECS_PROJECT),
    "verify": verify,
    "floor_rows": partial(write_plainly, ROWS_PROJECT),
    "write_rows": partial(write_folder, ROWS_PROJECT),
}

if __name__ == "__main__":
    main()
