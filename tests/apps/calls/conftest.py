"""Records as rubricstudio.llm makes them, without a server."""

from datetime import UTC, datetime

import pytest

from apps.calls import services
from rubricstudio.core.canonical import sha256_hex
from rubricstudio.llm.client import CallRecord
from rubricstudio.llm.render import request_bytes, shipped_templates
from tests.factories import make_endpoint

BODY = '{"model":"judge","temperature":0.70,"max_tokens":512}'
NONCE = "0123456789ab"


def make_record(*, prompt="Why is the sky blue?", **values):
    """One attempt of asking for a task label."""
    template = shipped_templates()["label"]
    values = {
        "template_name": template.name,
        "template_sha256": template.sha256,
        "slots": {"prompt": prompt, "labels": "general: anything", "id": "label:1"},
        "nonce": NONCE,
        "body": BODY,
        "attempt": 1,
        "started_at": datetime(2026, 11, 30, 12, tzinfo=UTC),
        "latency_ms": 12.4,
        "content": '{"label": "general"}',
        **values,
    }
    sent = request_bytes(
        template, slots=values["slots"], nonce=values["nonce"], body=values["body"]
    )
    return CallRecord(**{"request_sha256": sha256_hex(sent), **values})


@pytest.fixture(autouse=True)
def _key_file_of_the_test(settings, tmp_path):
    settings.ENCRYPTION_KEY_FILE = tmp_path / "endpoint.key"


@pytest.fixture
def endpoint(db):
    services.seed_templates()
    return make_endpoint()


@pytest.fixture
def asker(endpoint):
    return services.Asker(endpoint_id=endpoint.pk, role="label")
