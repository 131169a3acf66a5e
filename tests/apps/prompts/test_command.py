"""The command that scripts rely on: one JSON object, messages beside it, an exit code."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from apps.accounts.models import Project
from apps.prompts.models import Import, Prompt

pytestmark = pytest.mark.django_db


def run(*arguments):
    """The exit code, the last line of standard output and standard error."""
    output, errors = io.StringIO(), io.StringIO()
    code: object = 0
    try:
        call_command("import_prompts", *map(str, arguments), stdout=output, stderr=errors)
    except SystemExit as ended:
        code = ended.code
    return code, json.loads(output.getvalue().splitlines()[-1]), errors.getvalue()


def test_a_file_is_imported_into_a_new_project(save):
    code, printed, errors = run(save([{"prompt": "a"}, {"prompt": "b"}]), "--project", "tides")

    assert (code, errors) == (0, "")
    assert printed == {"new": 2, "identical": 0, "changed": 0, "rejected": 0}
    assert Prompt.objects.filter(project__slug="tides").count() == 2


def test_a_file_that_is_there_already_is_no_failure(save):
    path = save([{"prompt": "a"}])
    run(path, "--project", "tides")

    assert run(path, "--project", "tides")[:2] == (
        0,
        {"new": 0, "identical": 1, "changed": 0, "rejected": 0},
    )


def test_rejected_rows_are_listed_and_the_rest_counts(save):
    rows = [{"prompt": "a"}, *[{"prompt": None}] * 30]

    code, printed, errors = run(save(rows), "--project", "tides")

    assert (code, printed["rejected"]) == (0, 30)
    assert 'line 2: the prompt is null. | {"prompt": null}' in errors
    assert "… and 10 more rejected rows" in errors


def test_nothing_but_rejected_rows_is_a_failure_that_is_kept(save):
    code, printed, _errors = run(save([{"story": "a"}]), "--project", "tides")

    assert (code, printed["rejected"]) == (1, 1)
    assert Import.objects.get().rejects.count() == 1


@pytest.mark.parametrize("content", [b"", b"id,prompt\n", b"PAR1...", b"id,story\n1,a\n"])
def test_a_file_that_cannot_be_used_leaves_not_even_the_project(save, content):
    code, printed, errors = run(save(content, "file.csv"), "--project", "tides")

    assert (code, printed["new"]) == (1, 0)
    assert printed["error"] in errors
    assert not Project.objects.exists()


def test_the_command_names_its_options_where_a_page_would_name_its_fields(save):
    _code, printed, errors = run(save("no,Story\n1,a\n", "file.csv"), "--project", "tides")

    assert "say which one plays the part prompt; found: no, Story" in printed["error"]
    assert "--" not in printed["error"]
    assert "--encoding and --map PART=COLUMN" in errors


def test_a_dry_run_leaves_not_even_the_project(save):
    code, printed, _errors = run(save([{"prompt": "a"}]), "--project", "tides", "--dry-run")

    assert (code, printed["new"]) == (0, 1)
    assert not Project.objects.exists()


def test_what_is_said_about_the_file_is_kept(save):
    run(
        save("no,Story\n1,Once.\n", "file.csv"),
        *("--project", "tides", "--map", "prompt=Story", "--map", "id=no", "--format", "csv"),
        *("--licence", "MIT", "--url", "https://example.org", "--allowed-use", "research"),
    )

    record = Import.objects.get()
    assert (record.licence, record.url, record.allowed_use) == (
        "MIT",
        "https://example.org",
        "research",
    )
    assert record.options["columns"] == {"prompt": "Story", "id": "no"}


@pytest.mark.parametrize("arguments", [["--format", "xml"], ["--map", "prompt"], []])
def test_bad_usage_is_told(save, arguments):
    project = ["--project", "tides"] if arguments else []

    with pytest.raises(CommandError):
        call_command("import_prompts", str(save([{"prompt": "a"}])), *project, *arguments)
