"""Where the embedded layout keeps everything, and the addresses that follow from it.

All data lies in one folder (``RUBRICSTUDIO_DATA``, by default ``.data`` in the checkout)::

    postgres/   the database cluster
    run/        locks and state files of what is running, the database socket
    logs/       one file per part
    *.key       secrets, readable by their owner only

Addresses are computed from the folder alone, so settings need no running server.
"""

import contextlib
import hashlib
import json
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, quote, urlsplit

from rubricstudio.local.errors import LocalError

CHECKOUT = Path(__file__).resolve().parent.parent.parent
DATABASE_SCHEMES = {"postgres", "postgresql"}
DATABASE_NAME = "rubricstudio"
DATABASE_USER = "rubric"
MODEL_VARIABLES = ("LLM_BASE_URL", "LLM_MODEL", "LLM_API_KEY", "LLM_BACKEND", "LLM_PRIORITIES")
SOCKET_PORT = 5432  # only the end of the socket's file name: nothing listens on TCP
LONGEST_SOCKET_PATH = 107
LONGEST_LOG = 20 * 1024**2
# PostgreSQL takes a list of socket folders, in which spaces, commas and quotes mean something, and
# in an address hosts are read in small letters.
PLAIN_PATH = re.compile(r"[a-z0-9/._-]+")


def data_dir() -> Path:
    """The data folder; it need not exist yet."""
    return Path(os.environ.get("RUBRICSTUDIO_DATA") or CHECKOUT / ".data").absolute()


def cluster_dir(data: Path) -> Path:
    return data / "postgres" / "cluster"


def run_dir(data: Path) -> Path:
    return data / "run"


def log_file(data: Path, part: str) -> Path:
    """The log of one part, its folder made; a long one is put aside for a new one."""
    log = private_dir(data / "logs") / f"{part}.log"
    if log.exists() and log.stat().st_size > LONGEST_LOG:
        log.replace(log.with_suffix(".log.1"))
    return log


def socket_dir(data: Path) -> Path:
    """The folder of the database socket: inside the data folder where its name allows it.

    A path that is too long for a socket, or not plain, gets a short folder named after its hash.
    """
    inside = data / "sockets"
    if PLAIN_PATH.fullmatch(str(inside)) and len(os.fsencode(_socket_in(inside))) <= (
        LONGEST_SOCKET_PATH
    ):
        return inside
    digest = hashlib.sha256(os.fsencode(data)).hexdigest()[:12]
    # Not tempfile.gettempdir(): it follows the environment, and every process has to agree.
    return Path("/tmp") / f"rubricstudio-{digest}"  # noqa: S108 - private_dir() checks the owner


def _socket_in(folder: Path) -> Path:
    return folder / f".s.PGSQL.{SOCKET_PORT}"


def private_dir(folder: Path) -> Path:
    """Create the folder for its owner only; refuse a name that somebody else has taken."""
    try:
        for missing in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
            missing.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise LocalError(
            f"The folder {folder} cannot be made ({error.strerror}): name another data folder "
            "with RUBRICSTUDIO_DATA."
        ) from None
    if not stat.S_ISDIR(found.st_mode) or os.geteuid() not in {0, found.st_uid}:
        raise LocalError(
            f"{folder} belongs to another user: remove it, or name another data folder "
            "with RUBRICSTUDIO_DATA."
        )
    return folder


def refuse_foreign(data: Path) -> None:
    """Root can use anybody's data folder, but would leave files there that its owner cannot."""
    if data.exists() and (owner := data.stat().st_uid) != os.geteuid():
        raise LocalError(f"{data} belongs to the user with number {owner}: start as that user.")


def secret(name: str) -> str:
    """The secret of this name, made at first use and kept in the data folder.

    Raises LocalError where it can be neither written nor read.
    """
    path = private_dir(data_dir()) / name
    try:
        if not path.exists():
            _write_once(path, secrets.token_urlsafe(48))
        return path.read_text()
    except OSError as error:
        raise LocalError(
            f"{path} cannot be written or read ({error.strerror}): give the data folder to whoever "
            "runs Rubric Studio, or name another one with RUBRICSTUDIO_DATA."
        ) from None


def _write_once(path: Path, text: str) -> None:
    """Of several processes that start at once, one writes; the file is never seen half written."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=".new-") as file:
        file.write(text)
        file.flush()
        with contextlib.suppress(FileExistsError):
            os.link(file.name, path)


def write_state(data: Path, name: str, state: Mapping[str, Any]) -> None:
    """Replace a state file at once, so that a reader sees the old one or the new one."""
    path = private_dir(run_dir(data)) / f"{name}.json"
    unfinished = path.with_suffix(".new")
    unfinished.write_text(json.dumps(state))
    unfinished.replace(path)


def read_state(data: Path, name: str) -> dict[str, Any]:
    """What the running part of this name has left about itself; empty when it left nothing."""
    try:
        state: dict[str, Any] = json.loads((run_dir(data) / f"{name}.json").read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return state


def database_url(data: Path | None = None) -> str:
    """``DATABASE_URL``, else the address of the embedded database in the data folder.

    Raises LocalError for a ``DATABASE_URL`` that is no address of a PostgreSQL database.
    """
    explicit = os.environ.get("DATABASE_URL")
    if explicit:
        split_database_url(explicit)
    return explicit or embedded_database_url(socket_dir(data or data_dir()))


def split_database_url(url: str) -> SplitResult:
    """The parts of a database's address. Raises LocalError where one is missing or wrong."""
    try:
        found = urlsplit(url)
        if found.scheme in DATABASE_SCHEMES and found.path.strip("/") and found.port != 0:
            return found
    except ValueError:  # of a port that is no number, or of a bracket without its fellow
        pass
    raise LocalError(
        "DATABASE_URL must look like postgresql://user:password@host:port/name; PostgreSQL 15 or "
        "newer is the only database."
    )


def embedded_database_url(sockets: Path, name: str = DATABASE_NAME) -> str:
    return f"postgresql://{DATABASE_USER}@/{name}?host={quote(str(sockets), safe='/')}"


def broker_url() -> str:
    """``CELERY_BROKER_URL``, else kombu's pgmq transport on the same database."""
    explicit = os.environ.get("CELERY_BROKER_URL")
    return explicit or _as_pgmq(database_url())


def _as_pgmq(url: str) -> str:
    """The address of a database as kombu reads it: the socket folder stands in the host's place."""
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    user, _, address = parts.netloc.rpartition("@")
    if "host" in options:
        port = options.get("port") or parts.port or SOCKET_PORT
        address = f"{quote(options['host'], safe='')}:{port}"
    return f"pgmq://{user}@{address}{parts.path}"


def queue_connection() -> str:
    """What pgmq connects with; it would read ``DATABASE_URL`` itself, and not every one rightly.

    It takes this string apart and pastes the values unquoted into another one. So each brings its
    quotes along, and what pgmq has no place for (sslmode …) follows the database's name.
    """
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    def quoted(value: str | int | None) -> str:
        return make_conninfo(host=value).removeprefix("host=")

    named = os.environ.get("CELERY_BROKER_URL")
    told = conninfo_to_dict(f"postgresql{named.removeprefix('pgmq')}" if named else database_url())
    parts = {name: quoted(told.pop(name, "")) for name in ("host", "user", "password")}
    port, database = told.pop("port", SOCKET_PORT), quoted(told.pop("dbname", ""))
    further = make_conninfo(**{name: str(value) for name, value in told.items()})
    return make_conninfo(port=port, dbname=f"{database} {further}", **parts)


def model_environment(data: Path | None = None) -> dict[str, str]:
    """``LLM_BASE_URL`` and its kin as set, else those of the embedded model when it runs.

    Empty when no model server is named and the embedded one does not run.
    """
    if os.environ.get("LLM_BASE_URL"):
        return {name: os.environ[name] for name in MODEL_VARIABLES if os.environ.get(name)}
    state = read_state(data or data_dir(), "model")
    return {name: state[name] for name in MODEL_VARIABLES if name in state}
