"""What the checkout promises: its files, its contracts, its compose file, its wheel."""

import os
import re
import subprocess
import sys
import zipfile

from tests.shared_data import ROOT

TOP_LEVEL = {
    "manage.py", "pyproject.toml", "rubricstudio", "apps", "templates", "static", "workers",
    "tests", "docker-compose.yml", "README.md", "docs", "benchmarks", "Makefile", "Dockerfile",
    "requirements.lock", "requirements-test.lock", "requirements-vllm.txt", "CHANGELOG.md",
    "LICENSE", ".ci", ".gitignore", ".pre-commit-config.yaml",
}  # fmt: skip
SERVER_ONLY = ("settings/", "local/", "urls.py", "api.py", "asgi.py", "wsgi.py")


def tracked() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return listed.stdout.splitlines()


def test_the_top_level_holds_nothing_unexpected():
    found = {name.split("/")[0] for name in tracked()}

    assert found - TOP_LEVEL == set()


def test_the_readme_begins_with_the_two_commands():
    commands = re.findall(
        r"```(?:sh|bash|console)\n(.*?)```", (ROOT / "README.md").read_text(), re.S
    )

    assert [line.split("#")[0].strip() for line in commands[0].splitlines()[:2]] == [
        "make run",
        "make test",
    ]


def test_the_wheel_is_the_library_without_the_server(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )

    names = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
    inside = [
        name.removeprefix("rubricstudio/") for name in names if name.startswith("rubricstudio/")
    ]
    assert "core/bundle.py" in inside or any(name.startswith("core/bundle/") for name in inside)
    assert [name for name in inside if name.startswith(SERVER_ONLY)] == []
    assert not any(name.startswith(("apps/", "workers/", "tests/")) for name in names)


def test_a_process_that_asks_no_model_does_not_load_the_client():
    program = (
        "import sys, django; django.setup(); from django.urls import get_resolver;"
        "get_resolver().url_patterns; from django.core.management import call_command;"
        "call_command('check'); import workers.celery;"
        "workers.celery.app.loader.import_default_modules(); print('openai' in sys.modules)"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "rubricstudio.settings.test"}

    told = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )

    assert told.stdout.splitlines()[-1] == "False"


def test_links_between_documents_lead_somewhere():
    broken = []
    for name in tracked():
        if not name.endswith(".md"):
            continue
        page = ROOT / name
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{name}: {target}")

    assert broken == []
