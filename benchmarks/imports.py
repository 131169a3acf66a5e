"""Imports of 100,000 rows of 1 kB, against a plain COPY of the same rows in the same run.

    python -m benchmarks.imports [--rows 100000]

The figures, one line of JSON each: the floor (every line of the file by COPY into a bare table of
jsonb), prompts into an empty project, prompts into the project that then holds as many, the same
file once more, and rollouts of those prompts. Each is measured in a process of its own, so that
its peak memory is its own; `of_floor` is the share of the floor's rate, `grown` the time into the
full project over that into the empty one. CPU is microseconds a row, of the process and of its
database connection. The database is the embedded one, or that of DATABASE_URL.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

from benchmarks._cost import cost_of
from rubricstudio.local.database import borrow_database

ROW_BYTES = 1000
WORDS = (
    *("tide", "moon", "sea", "salt", "wind", "海", "naïve", "river", "stone", "why", "does"),
    *("the", "rise", "and", "fall", "twice", "a", "day"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--measure", choices=MEASURES, help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--project", help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "rubricstudio.settings.dev"
    if options.measure:
        measure(options.measure, options.file, options.project)
    else:
        measure_all(options.rows)


def measure_all(rows: int) -> None:
    with tempfile.TemporaryDirectory(prefix="rubricstudio-bench-") as folder:
        os.environ["RUBRICSTUDIO_DATA"] = folder
        first, second, answers = (Path(folder) / f"{name}.jsonl" for name in "abc")
        write_prompts(first, rows, "a")
        write_prompts(second, rows, "b")
        write_rollouts(answers, rows, "a")
        with borrow_database():
            subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], check=True)
            project = f"bench-{uuid4().hex[:8]}"
            floor = in_process("floor", first, project)
            report("import floor, plain COPY", floor)
            empty = in_process("prompts", first, project)
            report("import prompts", empty, of_floor=empty["rows_per_s"] / floor["rows_per_s"])
            full = in_process("prompts", second, project)
            report(
                "import prompts into as many", full, grown=empty["rows_per_s"] / full["rows_per_s"]
            )
            report("import prompts again", in_process("prompts", first, project))
            found = in_process("rollouts", answers, project)
            report("import rollouts", found, of_floor=found["rows_per_s"] / floor["rows_per_s"])


def report(name: str, figures: dict[str, float], **ratios: float) -> None:
    rounded = {key: round(value, 3) for key, value in (figures | ratios).items()}
    print(json.dumps({"benchmark": name, **rounded}), flush=True)


def write_prompts(path: Path, rows: int, prefix: str) -> None:
    chance = random.Random(prefix)
    with path.open("w", encoding="utf-8") as file:
        for number in range(rows):
            row = {"id": f"{prefix}{number}", "prompt": text(chance), "level": number % 7}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def write_rollouts(path: Path, rows: int, prefix: str) -> None:
    """Groups of eight, as a step of training writes them."""
    chance = random.Random(prefix)
    with path.open("w", encoding="utf-8") as file:
        for number in range(rows):
            row = {
                "prompt_id": f"{prefix}{number // 8}",
                "response": text(chance),
                "score": number % 2,
                "step": 1,
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def text(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=400))[: ROW_BYTES - 60]


def in_process(kind: str, file: Path, project: str) -> dict[str, float]:
    """The figures of one measure, taken by a new process."""
    command = [sys.executable, "-m", "benchmarks.imports", "--measure", kind]
    child = subprocess.run(
        [*command, "--file", str(file), "--project", project],
        check=True,
        stdout=subprocess.PIPE,
    )
    figures: dict[str, float] = json.loads(child.stdout)
    return figures


def measure(kind: str, file: Path, project: str) -> None:
    import django

    django.setup()
    rows, cost = cost_of(lambda: MEASURES[kind](file, project))
    figures = {
        "rows": rows,
        "rows_per_s": rows / cost.seconds,
        "cpu_us": cost.cpu_s / rows * 1e6,
        "database_cpu_us": cost.database_cpu_s / rows * 1e6,
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(figures))


def copy_lines(file: Path, _project: str) -> int:
    """The floor: every line into a table without a key, and nothing looked at."""
    from django.db import connection

    rows = 0
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE floor (number bigint, row jsonb)")
        with cursor.copy("COPY floor FROM STDIN") as copy, file.open(encoding="utf-8") as lines:
            for line in lines:
                rows += 1
                copy.write_row((rows, line))
    return rows


def take_prompts(file: Path, project: str) -> int:
    from apps.accounts.services import get_or_create_project
    from apps.prompts.services import ImportFile, import_prompts

    result = import_prompts(get_or_create_project(slug=project), ImportFile(file))
    return sum(result.tally.counts().values())


def take_rollouts(file: Path, project: str) -> int:
    from apps.accounts.selectors import get_project
    from apps.prompts.services import ImportFile
    from apps.rollouts.services import import_rollouts

    result = import_rollouts(get_project(project), ImportFile(file), policy="policy")
    assert result.tally.new, result.tally
    return sum(result.tally.counts().values())


MEASURES: dict[str, Callable[[Path, str], Any]] = {
    "floor": copy_lines,
    "prompts": take_prompts,
    "rollouts": take_rollouts,
}

if __name__ == "__main__":
    main()
