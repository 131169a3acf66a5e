"""Every attempt of every call as a row, from which its request can be made again.

A row holds hashes of its texts; template, slots, nonce and body together give the bytes that were
sent, and `request_sha256` proves it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import connection, transaction

from apps.calls.models import Call, TemplateVersion
from apps.calls.services.templates import known_version_ids
from apps.calls.services.texts import TextUse, read_texts, store_texts, text_hash
from rubricstudio.core.canonical import sha256_hex
from rubricstudio.llm.client import CallRecord
from rubricstudio.llm.errors import RecordError
from rubricstudio.llm.render import Template, request_bytes

SHORT: Final = 64
"""Up to this many characters a slot is kept in the row itself: no longer than its hash."""
AS_IT_IS: Final = "="

COLUMNS: Final = (
    "id",
    "at",
    "project_id",
    "job_id",
    "endpoint_id",
    "role",
    "template_version_id",
    "slots",
    "nonce",
    "body_sha256",
    "request_sha256",
    "attempt",
    "answer_sha256",
    "reasoning_sha256",
    "refusal",
    "parsed",
    "finish_reason",
    "served_model",
    "http_status",
    "error_cause",
    "error",
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "reasoning_tokens",
    "latency_ms",
)
COPY: Final = f"COPY calls_call ({', '.join(COLUMNS)}) FROM STDIN"
NEW_IDS: Final = (
    "SELECT nextval(pg_get_serial_sequence('calls_call', 'id')) FROM generate_series(1, %s)"
)


@dataclass(frozen=True, slots=True)
class Asker:
    """On whose behalf calls were made: what the attempts of one batch have in common."""

    endpoint_id: int
    role: str
    project_id: int | None = None
    job_id: int | None = None


@transaction.atomic
def store_calls(
    records: Sequence[CallRecord],
    *,
    asker: Asker | Sequence[Asker],
    parsed: Sequence[Any] | None = None,
) -> list[int]:
    """Store attempts in bulk, failed ones too; their ids, in the order given.

    `asker` is one for all, or one for each. `parsed` holds what was read from each answer, as
    JSON, or None.
    """
    if not records:
        return []
    versions = known_version_ids((one.template_name, one.template_sha256) for one in records)
    askers = [asker] * len(records) if isinstance(asker, Asker) else asker
    store_texts(_texts_of(records, askers))
    values = parsed if parsed is not None else [None] * len(records)
    with connection.cursor() as cursor:
        cursor.execute(NEW_IDS, [len(records)])
        ids = [int(row[0]) for row in cursor.fetchall()]
        with cursor.copy(COPY) as copy:
            for pk, record, one, value in zip(ids, records, askers, values, strict=True):
                version = versions[record.template_name, record.template_sha256]
                row = _row(record, asker=one, version=version, parsed=value)
                copy.write_row([pk if name == "id" else row[name] for name in COLUMNS])
    return ids


def rebuild_request(call: Call) -> bytes:
    """The request as it was sent, byte for byte.

    Raises `Conflict` when one of its texts was dropped by the retention policy, and `RecordError`
    when the stored parts do not give the bytes whose hash was stored.
    """
    version = TemplateVersion.objects.select_related("template").get(pk=call.template_version_id)
    texts = read_texts({*_hashes_in(call.slots), call.body_sha256})
    data = request_bytes(
        Template(version.template.name, version.text),
        slots={name: _slot_value(stored, texts) for name, stored in call.slots.items()},
        nonce=call.nonce,
        body=texts[call.body_sha256],
    )
    if sha256_hex(data) != call.request_sha256:
        raise RecordError(f"the stored parts of call {call.pk} do not make the request it sent")
    return data


def _texts_of(records: Sequence[CallRecord], askers: Sequence[Asker]) -> Iterable[TextUse]:
    for record, asker in zip(records, askers, strict=True):
        long = (value for value in record.slots.values() if not _is_short(value))
        said = (text for text in (record.content, record.reasoning) if text is not None)
        for text in (record.body, *long, *said):
            yield TextUse(text, asker.project_id, record.started_at)


def _row(record: CallRecord, *, asker: Asker, version: int, parsed: Any | None) -> dict[str, Any]:
    return {
        "at": record.started_at,
        "project_id": asker.project_id,
        "job_id": asker.job_id,
        "endpoint_id": asker.endpoint_id,
        "role": asker.role,
        "template_version_id": version,
        "slots": json.dumps({name: _stored_slot(text) for name, text in record.slots.items()}),
        "nonce": record.nonce,
        "body_sha256": text_hash(record.body),
        "request_sha256": record.request_sha256,
        "attempt": record.attempt,
        "answer_sha256": _hash_or_nothing(record.content),
        "reasoning_sha256": _hash_or_nothing(record.reasoning),
        "refusal": _printable(record.refusal or ""),
        "parsed": None if parsed is None else json.dumps(_printable_json(parsed)),
        "finish_reason": _printable(record.finish_reason or "")[:20],
        "served_model": _printable(record.served_model)[:200],
        "http_status": record.http_status,
        "error_cause": record.cause.value if record.cause else "",
        "error": _printable(record.error),
        "prompt_tokens": record.prompt_tokens,
        "completion_tokens": record.completion_tokens,
        "cached_tokens": record.cached_tokens,
        "reasoning_tokens": record.reasoning_tokens,
        "latency_ms": round(record.latency_ms),
    }


def _is_short(value: str) -> bool:
    # PostgreSQL's JSON holds neither NUL nor half a surrogate pair.
    return len(value) <= SHORT and value == _printable(value)


def _stored_slot(value: str) -> str:
    return AS_IT_IS + value if _is_short(value) else text_hash(value)


def _slot_value(stored: str, texts: Mapping[str, str]) -> str:
    return stored[1:] if stored.startswith(AS_IT_IS) else texts[stored]


def _hashes_in(slots: Mapping[str, str]) -> set[str]:
    return {stored for stored in slots.values() if not stored.startswith(AS_IT_IS)}


def _hash_or_nothing(text: str | None) -> str:
    return "" if text is None else text_hash(text)


def _printable(text: str) -> str:
    """A text that a text column can hold; the untouched one is kept among the texts."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def _printable_json(value: Any) -> Any:
    """A JSON value whose texts a JSON column can hold."""
    if isinstance(value, str):
        return _printable(value)
    if isinstance(value, Mapping):
        return {_printable(key): _printable_json(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_printable_json(one) for one in value]
    return value
