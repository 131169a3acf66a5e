"""`manage.py freeze`."""

import json

import pytest
from django.core.management import call_command

from apps.bundles.models import Bundle
from apps.specs.models import Spec
from rubricstudio.core.bundle import verify_bundle
from tests import factories
from tests.apps.rewards.world import criteria, save_spec

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(tmp_path, capsys):
    """Runs the command; the last line of its output, and what it said to people."""

    def make(**options):
        options = {"project": "tides", "out": tmp_path / "bundle", **options}
        call_command("freeze", **options)
        told = capsys.readouterr()
        return json.loads(told.out.splitlines()[-1]), told.err

    return make


@pytest.fixture
def refused(tmp_path, capsys):
    """Runs the command where it must not freeze."""

    def make(**options):
        options = {"project": "tides", "out": tmp_path / "bundle", **options}
        with pytest.raises(SystemExit) as exit_:
            call_command("freeze", **options)
        assert exit_.value.code == 1
        told = capsys.readouterr()
        return json.loads(told.out.splitlines()[-1]), told.err

    return make


def test_it_reports_the_bundle_and_the_folder_is_it(ready, run, tmp_path):
    result, _said = run()

    assert result == {"bundle_id": Bundle.objects.get().bundle_id, "specs": 2}
    assert verify_bundle(tmp_path / "bundle", expected_id=result["bundle_id"]).ok


def test_two_freezes_into_two_folders_give_one_bundle(ready, run, tmp_path):
    first, _said = run(out=tmp_path / "first")
    second, said = run(out=tmp_path / "second")

    assert first == second
    assert (tmp_path / "first/manifest.json").read_bytes() == (
        tmp_path / "second/manifest.json"
    ).read_bytes()
    assert "Frozen before, as tides v1." in said


def test_open_items_are_listed_and_nothing_is_written(project, prompt, refused, tmp_path):
    result, said = refused()

    assert (result["bundle_id"], result["specs"]) == (None, 0)
    assert "1 spec is not approved (prompt 1)" in result["error"]
    assert "--approve-as USER" in said
    assert not (tmp_path / "bundle").exists()


def test_a_reviewer_approves_and_a_reason_waives(project, prompt, reviewer, run):
    _result, said = run(approve_as="reviewer", waive="Only a trial.")

    bundle = Bundle.objects.get()
    (waiver,) = bundle.manifest["waivers"]
    assert (waiver["item"], waiver["by"]) == ("no_judge", "reviewer")
    assert bundle.frozen_by == reviewer
    assert Spec.objects.get().state == "frozen"
    assert "Waived: 1 spec has criteria" in said


def test_prompts_that_are_left_out_are_named(ready, prompt, run):
    factories.make_prompt(ready, "Nobody made a spec of this.")
    save_spec(prompt)

    result, said = run()

    assert result["specs"] == 1
    assert "2 prompts are left out, because they have no spec that can score: 1, 3." in said


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"project": "absent"}, "There is no project 'absent'"),
        ({"config": "absent"}, "There is no reward configuration 'absent'"),
        ({"approve_as": "absent"}, "There is no user 'absent'"),
    ],
)
def test_what_it_cannot_find_is_a_sentence(ready, refused, options, sentence):
    result, _said = refused(**options)

    assert result["error"].startswith(sentence)


def test_a_filled_folder_is_refused_before_freezing(ready, refused, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")

    result, _said = refused(out=tmp_path)

    assert "is not empty" in result["error"]
    assert not Bundle.objects.exists()


def test_the_folder_of_an_earlier_bundle_is_not_written_over(ready, prompt, reviewer, run, refused):
    run()
    save_spec(prompt, criteria({"cause": 1}))

    result, _said = refused(approve_as="reviewer")

    assert "does not hold this bundle" in result["error"]
