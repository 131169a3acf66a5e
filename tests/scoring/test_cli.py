import json
import subprocess
import sys

import pytest

from rubricstudio.core.bundle import write_bundle
from rubricstudio.scoring import Bundle
from rubricstudio.scoring.cli import main
from tests.core.bundle.test_build_bundle import build

# A program that refuses the application's packages, then runs the command.
GUARDED = """
import sys
from importlib.abc import MetaPathFinder

class Refuse(MetaPathFinder):
    names = {"django", "ninja", "celery", "kombu", "psycopg", "openai", "torch", "aiohttp", "apps"}

    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in self.names:
            raise ImportError(f"{name} must not be imported")

sys.meta_path.insert(0, Refuse())
from rubricstudio.scoring.cli import main
sys.exit(main())
"""


@pytest.fixture
def folder(tmp_path):
    write_bundle(build(), tmp_path / "bundle")
    return tmp_path / "bundle"


def last_line(capsys):
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_a_whole_bundle_is_verified(folder, capsys):
    code = main(["verify", str(folder)])

    assert (code, last_line(capsys)) == (
        0,
        {"bundle_id": build().bundle_id, "files": 4, "specs": 2, "ok": True},
    )


def test_a_whole_bundle_is_the_expected_one(folder, capsys):
    code = main(["verify", str(folder), "--id", build().bundle_id])

    assert (code, last_line(capsys)["ok"]) == (0, True)


def test_a_changed_bundle_fails_and_names_the_file(folder, capsys):
    (folder / "specs.jsonl").write_bytes(b"")

    code = main(["verify", str(folder)])

    out, err = capsys.readouterr()
    assert (code, json.loads(out)["ok"]) == (1, False)
    assert err.startswith("specs.jsonl: it has 0 bytes")


def test_another_bundle_than_the_expected_one_fails(folder, capsys):
    code = main(["verify", str(folder), "--id", "0" * 64])

    assert (code, last_line(capsys)["ok"]) == (1, False)


def test_a_folder_that_is_not_there_is_wrong_usage(tmp_path, capsys):
    code = main(["verify", str(tmp_path / "nowhere")])

    out, err = capsys.readouterr()
    assert code == 2
    assert "there is no folder" in err
    assert json.loads(out) == {"bundle_id": "", "files": 0, "specs": 0, "ok": False}


@pytest.mark.parametrize("arguments", [[], ["score"], ["verify"]])
def test_wrong_usage_is_told(arguments, capsys):
    with pytest.raises(SystemExit) as exit_:
        main(arguments)

    assert exit_.value.code == 2
    assert "usage: rubricstudio" in capsys.readouterr().err


def test_a_bundle_is_verified_without_any_package_of_the_application(folder):
    done = subprocess.run(
        [sys.executable, "-c", GUARDED, "verify", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, f"{folder} is the bundle {build().bundle_id}.\n")
    assert json.loads(done.stdout)["ok"] is True


def test_the_guard_of_that_test_does_refuse(folder):
    done = subprocess.run(
        [sys.executable, "-c", GUARDED.replace("rubricstudio.scoring.cli", "django.conf")],
        capture_output=True,
        text=True,
        check=False,
    )

    assert "django.conf must not be imported" in done.stderr or "django must not" in done.stderr


def test_the_scorer_library_offers_the_bundle(folder):
    assert Bundle.load(folder).bundle_id == build().bundle_id
