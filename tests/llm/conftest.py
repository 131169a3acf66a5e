import pytest

from rubricstudio.testing.stub.process import stub_server


@pytest.fixture(scope="module")
def one_stub(tmp_path_factory):
    with stub_server(tmp_path_factory.mktemp("stub") / "requests.jsonl") as stub:
        yield stub


@pytest.fixture
def stub(one_stub):
    """A stub that behaves well, whatever the test before made it do."""
    one_stub.configure(
        backend="vllm",
        faults={},
        sticky=False,
        latency=0.0,
        slow=5.0,
        noise=0.0,
        thinking_tokens=0,
        reasoning_parser=True,
        api_key="",
        max_running=0,
        max_queued=1_000_000,
        max_model_len=32_768,
        retry_after=1.0,
    )
    return one_stub
