"""llama.cpp's own server keeps the contract, with the embedded model behind it."""

import subprocess
import sys

import pytest

from rubricstudio.llm.client import Backend
from rubricstudio.local.model import MODEL_NAME
from tests.llm.asking import Served
from tests.llm.contract import EveryServer, LlamaCppDialect, LocalServer
from tests.llm.servers import end, free_port, wait_until_healthy

SERVE = (
    "import signal, sys; from rubricstudio.local.model_server import serve; "
    "server = serve(int(sys.argv[1])); signal.pause()"
)


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.xdist_group("llamacpp")
class TestLlamaCpp(EveryServer, LocalServer, LlamaCppDialect):
    at_once = 2

    @pytest.fixture(scope="class")
    def served(self, tmp_path_factory):
        port = free_port()
        with (tmp_path_factory.mktemp("llamacpp") / "server.log").open("w") as log:
            process = subprocess.Popen(
                [sys.executable, "-c", SERVE, str(port)],
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            try:
                wait_until_healthy(f"http://127.0.0.1:{port}/health", process, seconds=90)
                yield Served(f"http://127.0.0.1:{port}/v1", Backend.LLAMACPP, MODEL_NAME)
            finally:
                end(process, seconds=1)
