"""The locks: complete, hashed, in step with pyproject.toml, installable on each Python we name."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.shared_data import ROOT

LOCKS = {
    "requirements.lock": ("server", "local", "lang", "ifeval", "build"),
    "requirements-test.lock": ("server", "local", "lang", "ifeval", "build", "test"),
}
PLATFORMS = ("x86_64-manylinux_2_28", "aarch64-manylinux_2_28", "aarch64-apple-darwin")


def pins(lock: str) -> list[Requirement]:
    text = (ROOT / lock).read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [Requirement(line.split(" --hash")[0].strip()) for line in lines]


def direct_dependencies(extras: tuple[str, ...]) -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [one for extra in extras for one in project["optional-dependencies"][extra]]
    return [Requirement(line) for line in [*project["dependencies"], *named]]


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_pins_every_direct_dependency_within_its_range(lock):
    pinned: dict[str, list[str]] = {}
    for pin in pins(lock):
        version = next(iter(pin.specifier)).version
        pinned.setdefault(canonicalize_name(pin.name), []).append(version)

    outside = [
        f"{wanted}: {pinned.get(canonicalize_name(wanted.name))}"
        for wanted in direct_dependencies(LOCKS[lock])
        if not any(
            wanted.specifier.contains(version)
            for version in pinned.get(canonicalize_name(wanted.name), [])
        )
    ]

    assert outside == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_of_a_lock_has_a_version_and_a_hash(lock):
    text = (ROOT / lock).read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]

    loose = [line for line in lines if "==" not in line or "--hash=sha256:" not in line]

    assert loose == []


def test_the_test_lock_agrees_with_the_lock():
    def exact(lock: str) -> set[str]:
        # A package of the tests may want one on more platforms than the application does.
        return {f"{pin.name}{pin.specifier}" for pin in pins(lock)}

    assert exact("requirements.lock") - exact("requirements-test.lock") == set()


@pytest.mark.parametrize("python", ["3.11", "3.13"])
@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("lock", LOCKS)
def test_a_wheel_exists_for_every_package(lock, platform, python, tmp_path):
    command = [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "install",
        "--dry-run",
        "--no-deps",
        "--system-certs",
    ]
    options = ["--require-hashes", "--only-binary", ":all:", "--target", str(tmp_path)]
    target = ["--python-version", python, "--python-platform", platform]

    ran = subprocess.run(
        [*command, *options, *target, "-r", str(ROOT / lock)], capture_output=True, text=True
    )

    assert ran.returncode == 0, ran.stderr


def other_python() -> str | None:
    """An interpreter of 3.13 that really starts; a version manager's shim may not."""
    candidates = [shutil.which("python3.13"), *Path("/").glob("usr/local/bin/python3.13")]
    candidates += sorted(Path(sys.base_prefix).parent.glob("3.13*/bin/python3.13"))
    for candidate in filter(None, candidates):
        ran = subprocess.run([str(candidate), "-c", "import ensurepip"], capture_output=True)
        if ran.returncode == 0:
            return str(candidate)
    return None


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(default_environment()["python_version"] == "3.13", reason="this is 3.13")
def test_the_lock_installs_and_the_application_checks_out_on_python_313(tmp_path):
    python = other_python()
    if python is None:
        pytest.skip("no Python 3.13 on this machine")
    venv = tmp_path / "venv"
    subprocess.run([python, "-m", "venv", str(venv)], check=True)
    own = str(venv / "bin" / "python")
    install = [own, "-m", "pip", "install", "--quiet", "--no-deps"]
    lock = str(ROOT / "requirements.lock")
    subprocess.run([*install, "--require-hashes", "-r", lock], check=True, capture_output=True)

    ran = subprocess.run(
        [own, "-W", "error", str(ROOT / "manage.py"), "check"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "RUBRICSTUDIO_DATA": str(tmp_path / "data")},
    )

    assert ran.returncode == 0, ran.stderr


def test_the_locks_name_no_place_to_download_from():
    texts = [(ROOT / lock).read_text() for lock in LOCKS]

    assert not any(re.search(r"https?://|--index-url|--find-links", text) for text in texts)
