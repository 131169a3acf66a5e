import pytest

from rubricstudio.testing.stub.process import stub_server


@pytest.fixture
def stub(tmp_path):
    with stub_server(tmp_path / "requests.jsonl") as running:
        yield running
