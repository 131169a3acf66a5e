"""An HTTP status of a server -> our error: transient, of one request, or of the endpoint."""

import json
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

import httpx2

from rubricstudio.core.types import FailureCause
from rubricstudio.llm.client import Endpoint
from rubricstudio.llm.errors import (
    EndpointBusy,
    EndpointError,
    EndpointUnusable,
    RequestRefused,
)

LONGEST_QUOTE: Final = 300
TOO_LONG_MARKS: Final = (
    "context_length",
    "context length",
    "context size",
    "maximum context",
    "exceed_context",
    "too long",
    "longer than the maximum",
)


def status_error(response: httpx2.Response, endpoint: Endpoint) -> EndpointError:
    """The error for an answer that is none, in the server's own words."""
    status, said = response.status_code, _said(response)
    told = f"{endpoint.base_url} answered {status}: {said}"
    terminal = _terminal_cause(status, said)
    if terminal is not None:
        return EndpointUnusable(told, cause=terminal, status=status)
    if status in (408, 409, 425, 429) or status >= 500:
        return EndpointBusy(
            told,
            cause=_transient_cause(status),
            status=status,
            retry_after=retry_after(response.headers),
        )
    return RequestRefused(told, cause=_refusal_cause(status, said), status=status)


def retry_after(headers: httpx2.Headers) -> float | None:
    """Seconds from ``retry-after-ms`` or ``retry-after``, which may also be a date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    return max(0.0, date.timestamp() - time.time())


def _terminal_cause(status: int, said: str) -> FailureCause | None:
    """The cause why no request can be answered; ``None`` where another one could be."""
    if status == 429 and ("insufficient_quota" in said or "billing" in said):
        return FailureCause.QUOTA
    if status < 400 or (status == 404 and "model" not in said.lower()):
        return FailureCause.HTTP
    causes = {
        401: FailureCause.AUTH,
        403: FailureCause.AUTH,
        402: FailureCause.QUOTA,
        404: FailureCause.MODEL_MISSING,
    }
    return causes.get(status)


def _transient_cause(status: int) -> FailureCause:
    if status == 429:
        return FailureCause.RATE_LIMITED
    if status in (408, 504):
        return FailureCause.TIMEOUT
    return FailureCause.SERVER_ERROR if status >= 500 else FailureCause.HTTP


def _refusal_cause(status: int, said: str) -> FailureCause:
    if status == 413 or any(mark in said.lower() for mark in TOO_LONG_MARKS):
        return FailureCause.CONTEXT_LENGTH
    return FailureCause.BAD_REQUEST if status in (400, 422) else FailureCause.HTTP


def _said(response: httpx2.Response) -> str:
    """The message of an answer, with its error code where that is a word."""
    text = response.text
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        body = None
    error = body.get("error", body) if isinstance(body, Mapping) else None
    if isinstance(error, Mapping):
        words = [one for one in (error.get("code"), error.get("type")) if isinstance(one, str)]
        text = str(error.get("message") or text) + (f" ({words[0]})" if words else "")
    return f"{' '.join(text.split()) or 'nothing':.{LONGEST_QUOTE}}"
