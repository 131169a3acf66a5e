"""Real vLLM keeps the contract, with a tiny random model behind it (docs/reference/vllm.md).

Run by ``.ci/test-vllm``, which builds the server's own environment first.
"""

import os
import subprocess
from pathlib import Path

import pytest

from rubricstudio.llm.client import Backend
from tests.llm.asking import Served, posted, run
from tests.llm.contract import EveryServer, LocalServer, VllmDialect
from tests.llm.servers import end, free_port, wait_until_healthy

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-vllm" / "bin" / "python"
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_HOST_IP": "127.0.0.1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    # Threads that spin and are bound to cores starve on a shared machine.
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": "2",
    "OMP_WAIT_POLICY": "passive",
    "KMP_BLOCKTIME": "0",
}
OPTIONS = [
    *("--served-model-name", "judge", "--host", "127.0.0.1", "--max-model-len", "4096"),
    *("--dtype", "float32", "--enforce-eager", "--reasoning-parser", "qwen3"),
    # The default of 128 tokens per block leaves a short prompt without a cached prefix.
    *("--block-size", "32", "--enable-prompt-tokens-details"),
    *("--structured-outputs-config", '{"backend":"xgrammar","disable_any_whitespace":true}'),
    # A seeded request whose prompt is cut into chunks ends the engine on a CPU.
    "--no-enable-chunked-prefill",
    "--enable-tokenizer-info-endpoint",
    *("--scheduling-policy", "priority"),
]


@pytest.mark.vllm
@pytest.mark.timeout(1200)
class TestVllm(EveryServer, LocalServer, VllmDialect):
    @pytest.fixture(scope="class")
    def served(self, tmp_path_factory):
        if not PYTHON.exists():
            pytest.fail(f"{PYTHON} is missing; run .ci/test-vllm, which builds it")
        folder = tmp_path_factory.mktemp("vllm")
        made = [str(PYTHON), str(ROOT / "tests" / "vllm" / "tiny_model.py"), str(folder / "model")]
        subprocess.run(made, check=True, cwd=folder)
        port = free_port()
        serve = [str(PYTHON), "-m", "vllm.entrypoints.openai.api_server"]
        where = ["--model", str(folder / "model"), "--port", str(port)]
        with (folder / "server.log").open("w") as log:
            process = subprocess.Popen(
                [*serve, *where, *OPTIONS],
                env={**os.environ, **ENVIRONMENT},
                stdout=log,
                stderr=log,
                cwd=folder,
                start_new_session=True,
            )
        try:
            wait_until_healthy(f"http://127.0.0.1:{port}/health", process, seconds=600)
            served = Served(f"http://127.0.0.1:{port}/v1", Backend.VLLM, "judge")
            # The first request with probabilities compiles something for half a minute.
            run(posted(served, {"logprobs": True, "top_logprobs": 20}))
            yield served
        finally:
            end(process)
