"""What a running studio says about itself, asked over HTTP."""

import http.client
import json
import socket
from typing import Any

from rubricstudio.local.errors import LocalError
from rubricstudio.local.parts import HOST

Answer = dict[str, Any]
TOLD = ("status", "jail")
"""What the answer tells beside its parts: the sum of them, and how the jail stands."""


def ask_health(port: int) -> Answer:
    """The answer of /healthz; empty while nothing answers."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        answer = json.loads(connection.getresponse().read())
    except (OSError, http.client.HTTPException, ValueError):
        return {}
    finally:
        connection.close()
    return answer if isinstance(answer, dict) else {}


def lacking(answer: Answer) -> list[str]:
    """The parts that do not answer yet, by the names of /healthz."""
    return [name for name in answer if name not in TOLD and not _is_fine(answer[name])]


def _is_fine(value: object) -> bool:
    return value == "ok" or (isinstance(value, int | list) and bool(value))


def free_port() -> int:
    """Some port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port


def refuse_taken_port(port: int) -> None:
    """Raise `LocalError` when something listens on the port already, or it needs privileges."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except PermissionError:
            raise LocalError(f"Port {port} is reserved for root; choose one above 1023.") from None
        except OSError:
            raise LocalError(
                f"Port {port} is taken by another program; choose another with: "
                f'make run ARGS="--port {port + 1}"'
            ) from None
