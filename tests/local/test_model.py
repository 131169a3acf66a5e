import http.client
import json
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from rubricstudio.local import model, model_server, paths
from rubricstudio.local.errors import ModelError


def test_a_processor_without_avx2_is_told_so_in_one_sentence(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    (tmp_path / "cpuinfo").write_text("processor : 0\nflags : fpu sse2 avx\n")

    with pytest.raises(ModelError, match=r"needs a processor with AVX2.*LLM_BASE_URL"):
        model.refuse_where_it_cannot_run(tmp_path / "cpuinfo")


def test_another_kind_of_processor_needs_no_avx2(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    (tmp_path / "cpuinfo").write_text("processor : 0\nFeatures : asimd\n")

    model.refuse_where_it_cannot_run(tmp_path / "cpuinfo")


def test_a_platform_without_the_wheel_is_told_so_in_one_sentence(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    with pytest.raises(ModelError, match=r"no wheel for this platform.*LLM_BASE_URL"):
        model.refuse_where_it_cannot_run()


def test_the_port_of_the_last_time_is_taken_again(data: Path):
    (data / "model.port").write_text("18765")

    assert model_server.choose_port(data) == 18765


def test_a_port_that_is_taken_meanwhile_is_given_up(data: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        (data / "model.port").write_text(str(taken.getsockname()[1]))

        assert model_server.choose_port(data) != taken.getsockname()[1]


def test_connections_that_linger_do_not_cost_the_port(data: Path):
    with socket.socket() as server, socket.socket() as client:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as llama.cpp's does
        server.bind(("127.0.0.1", 0))
        server.listen()
        client.connect(server.getsockname())
        accepted, _ = server.accept()
        accepted.close()
        (data / "model.port").write_text(str(server.getsockname()[1]))

    assert str(model_server.choose_port(data)) == (data / "model.port").read_text()


@pytest.mark.model
@pytest.mark.slow
def test_the_embedded_model_answers_and_goes_with_its_last_user(data: Path, nothing_named):
    with model.borrow_model(data):
        named = paths.model_environment(data)
        server = urlsplit(named["LLM_BASE_URL"])
        request = {
            "model": named["LLM_MODEL"],
            "messages": [{"role": "user", "content": "Say yes."}],
            "max_tokens": 2,
        }
        connection = http.client.HTTPConnection(server.hostname or "", server.port, timeout=60)
        connection.request("POST", "/v1/chat/completions", json.dumps(request))
        answer = json.loads(connection.getresponse().read())
        connection.close()

    assert answer["usage"]["completion_tokens"] == 2
    assert paths.model_environment(data) == {}
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((server.hostname or "", server.port or 0), timeout=5)
