"""export_project and import_project, as a person types them."""

import json

import pytest
from django.core.management import call_command

from apps.accounts.models import Project, Role
from apps.prompts.models import Prompt
from tests.factories import make_member, make_project, make_prompt, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project("tides", name="Tides")
    make_prompt(project)
    make_member(project, Role.AUTHOR)
    return project


def said(capsys, *arguments, **options) -> dict:
    call_command(*arguments, **options)
    return dict(json.loads(capsys.readouterr().out.splitlines()[-1]))


def test_a_project_goes_out_to_a_file_and_in_again(project, tmp_path, capsys):
    file = tmp_path / "tides.zip"

    out = said(capsys, "export_project", project="tides", out=file)
    came = said(capsys, "import_project", file, project="sea", admin=make_user("mara").username)

    sea = Project.objects.get(slug="sea")
    assert (out["file"], out["bytes"]) == (str(file), file.stat().st_size)
    assert came["project"] == "sea"
    assert sea.name == "Tides"
    assert Prompt.objects.filter(project=sea).count() == 1
    assert sea.memberships.get().user.username == "mara"


def test_a_file_that_is_there_is_not_overwritten(project, tmp_path, capsys):
    file = tmp_path / "tides.zip"
    file.write_text("mine")

    with pytest.raises(SystemExit):
        call_command("export_project", project="tides", out=file)

    assert "name another file" in capsys.readouterr().err
    assert file.read_text() == "mine"


@pytest.mark.parametrize("name", ["tides", "Not a name"])
def test_a_name_that_cannot_be_is_refused_and_exits_with_one(project, tmp_path, capsys, name):
    file = tmp_path / "tides.zip"
    call_command("export_project", project="tides", out=file)

    with pytest.raises(SystemExit) as ended:
        call_command("import_project", file, project=name)

    assert ended.value.code == 1
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["project"] is None


def test_a_file_that_is_not_there_is_told(capsys, tmp_path):
    with pytest.raises(SystemExit):
        call_command("import_project", tmp_path / "none.zip", project="sea")

    assert "no export of a project" in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_told(project, capsys, tmp_path):
    with pytest.raises(SystemExit):
        call_command("export_project", project="tides", out=tmp_path / "none" / "tides.zip")

    assert "cannot be written" in capsys.readouterr().err
