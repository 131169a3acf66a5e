"""`manage.py checker_doctor` tells which walls stand, and fails unless all do."""

import json

import pytest
from django.core.management import call_command

from rubricstudio.sandbox import doctor
from rubricstudio.sandbox.doctor import Diagnosis, Trial
from rubricstudio.sandbox.ladder import Ladder, Layer

ALL = ("namespaces", "limits", "landlock", "seccomp")


def pretend(monkeypatch: pytest.MonkeyPatch, *, fallen: str = "", leaking: str = "") -> None:
    layers = tuple(Layer(one, one != fallen, f"tried {one}") for one in ALL)
    trials = tuple(Trial(one, one != leaking, "exception: refused") for one in doctor.TRIALS)
    diagnosis = Diagnosis(Ladder(layers), trials)
    monkeypatch.setattr("apps.specs.services.jail.diagnose", lambda: diagnosis)


def result(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    found: dict[str, object] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return found


def test_it_passes_where_every_wall_stands_and_holds(monkeypatch, capsys):
    pretend(monkeypatch)

    call_command("checker_doctor")

    told = result(capsys)
    assert told["ladder"] == "full"
    assert told["layers"] == dict.fromkeys(ALL, True)


@pytest.mark.parametrize(
    ("fallen", "ladder"),
    [("namespaces", "no_namespaces"), ("landlock", "no_landlock"), ("seccomp", "refused")],
)
def test_it_fails_where_a_wall_fell(monkeypatch, capsys, fallen, ladder):
    pretend(monkeypatch, fallen=fallen)

    with pytest.raises(SystemExit) as ended:
        call_command("checker_doctor")

    assert ended.value.code == 1
    assert result(capsys)["ladder"] == ladder


def test_it_fails_where_a_wall_leaks(monkeypatch, capsys):
    pretend(monkeypatch, leaking="a connection")

    with pytest.raises(SystemExit):
        call_command("checker_doctor")

    assert "a connection               LEAKED" in capsys.readouterr().err


def test_another_system_is_told_that_it_has_no_jail(monkeypatch, capsys):
    monkeypatch.setattr("platform.system", lambda: "Darwin")

    with pytest.raises(SystemExit):
        call_command("checker_doctor")

    assert "this is macOS" in str(result(capsys)["error"])


def test_it_tells_of_this_machine(capsys):
    try:
        call_command("checker_doctor")
    except SystemExit:
        assert result(capsys)["ladder"] != "full"
    else:
        assert result(capsys)["ladder"] == "full"
