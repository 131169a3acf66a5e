from dataclasses import asdict

import pytest

from rubricstudio.testing.stub.behaviour import Behaviour
from rubricstudio.testing.stub.process import stub_server


@pytest.fixture(scope="module")
def one_stub(tmp_path_factory):
    with stub_server(tmp_path_factory.mktemp("stub") / "requests.jsonl") as stub:
        yield stub


@pytest.fixture
def stub(one_stub):
    """A stub that behaves well, whatever the test before made it do."""
    one_stub.configure(**asdict(Behaviour()))
    return one_stub
