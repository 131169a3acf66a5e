"""The stub keeps the contract of each backend it plays."""

import pytest

from rubricstudio.llm.client import Backend
from rubricstudio.testing.stub.process import stub_server
from tests.llm.asking import Served
from tests.llm.contract import EveryServer, LlamaCppDialect, LocalServer, VllmDialect


def served_by(backend, folder, **behaviour):
    with stub_server(folder / "requests.jsonl", backend=backend, **behaviour) as stub:
        yield Served.by(stub, backend)


class TestAsVllm(EveryServer, LocalServer, VllmDialect):
    @pytest.fixture(scope="class")
    def served(self, tmp_path_factory):
        yield from served_by(Backend.VLLM, tmp_path_factory.mktemp("vllm"), thinking_tokens=1000)


class TestAsLlamaCpp(EveryServer, LocalServer, LlamaCppDialect):
    @pytest.fixture(scope="class")
    def served(self, tmp_path_factory):
        yield from served_by(Backend.LLAMACPP, tmp_path_factory.mktemp("llamacpp"))


class TestAsPlainServer(EveryServer):
    @pytest.fixture(scope="class")
    def served(self, tmp_path_factory):
        yield from served_by(Backend.OPENAI, tmp_path_factory.mktemp("openai"))
