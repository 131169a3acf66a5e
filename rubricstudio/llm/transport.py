"""Sends bytes to one endpoint and says what went wrong in our own errors.

The SDK's client is used below its typed methods: it keeps connections, keys and addresses, and
building its response models would cost more than everything else here. Its own retries are off.
"""

import asyncio
import json
import socket
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

import httpx2
import openai
from openai import AsyncOpenAI, DefaultAioHttpClient

from rubricstudio.core.types import FailureCause
from rubricstudio.llm.client import Endpoint
from rubricstudio.llm.errors import (
    EndpointBusy,
    EndpointError,
    EndpointUnusable,
    RequestRefused,
)

JSON_HEADERS: Final = {"Content-Type": "application/json"}
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


class Answer(NamedTuple):
    """What an endpoint answered with a status below 400: its JSON value."""

    status: int
    data: Any


class Transport:
    """Requests to one endpoint; one connection pool per event loop that uses it."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncOpenAI] = (
            WeakKeyDictionary()
        )

    async def __aenter__(self) -> "Transport":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections of the running loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    async def post(self, path: str, content: bytes, *, seconds: float | None = None) -> Answer:
        """Send JSON; raises an :class:`EndpointError` for everything but a JSON answer."""
        limit = self.endpoint.timeout if seconds is None else min(seconds, self.endpoint.timeout)
        try:
            # The SDK's timeout counts silence; a server that drips bytes would outlive it.
            async with asyncio.timeout(limit):
                response = await self._client().post(
                    path,
                    cast_to=httpx2.Response,
                    content=content,
                    options={"headers": JSON_HEADERS},
                )
        except (TimeoutError, openai.APIError) as error:
            raise endpoint_error(error, self.endpoint) from error
        return _answer(response)

    async def get(self, path: str) -> Answer:
        """Ask for a JSON document, such as the list of models."""
        try:
            async with asyncio.timeout(self.endpoint.timeout):
                response = await self._client().get(path, cast_to=httpx2.Response)
        except (TimeoutError, openai.APIError) as error:
            raise endpoint_error(error, self.endpoint) from error
        return _answer(response)

    @property
    def _is_encrypted(self) -> bool:
        return self.endpoint.base_url.startswith("https://")

    def _client(self) -> AsyncOpenAI:
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            timeout = httpx2.Timeout(self.endpoint.timeout, connect=self.endpoint.connect_timeout)
            self._clients[loop] = AsyncOpenAI(
                base_url=self.endpoint.base_url,
                # The SDK insists on a key; servers without one ignore it.
                api_key=self.endpoint.api_key or "none",
                max_retries=0,
                timeout=timeout,
                # Certificates take a tenth of a second to load.
                http_client=DefaultAioHttpClient(timeout=timeout, verify=self._is_encrypted),
            )
        return self._clients[loop]


def _answer(response: httpx2.Response) -> Answer:
    try:
        return Answer(response.status_code, json.loads(response.content))
    except (ValueError, RecursionError):
        raise EndpointBusy(
            f"the server answered {response.status_code} without JSON: {response.text:.120}",
            cause=FailureCause.BAD_RESPONSE,
            status=response.status_code,
        ) from None


def endpoint_error(error: Exception, endpoint: Endpoint) -> EndpointError:
    """Our error for one of the SDK's: what happened, at which address, and whether to ask again."""
    where = endpoint.base_url
    if isinstance(error, openai.APIStatusError):
        return _status_error(error, where)
    # The aiohttp transport calls a refused connection a timeout as well.
    connecting = any(isinstance(one, httpx2.ConnectTimeout) for one in _causes(error))
    if isinstance(error, TimeoutError | openai.APITimeoutError) and not connecting:
        return EndpointBusy(
            f"{where} did not answer within {endpoint.timeout:g} s", cause=FailureCause.TIMEOUT
        )
    if any(isinstance(one, socket.gaierror) for one in _causes(error)):
        return EndpointUnusable(
            f"the host of {where} is unknown; check the address", cause=FailureCause.TRANSPORT
        )
    last = list(_causes(error))[-1]
    return EndpointBusy(
        f"no connection to {where}: {last!s:.{LONGEST_QUOTE}}", cause=FailureCause.TRANSPORT
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what it was raised from; the DNS failure hides in an attribute of one."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        hidden = getattr(cause, "os_error", None)
        cause = cause.__cause__ or (hidden if isinstance(hidden, BaseException) else None)


def _status_error(error: openai.APIStatusError, where: str) -> EndpointError:
    status, said = error.status_code, _said(error)
    told = f"{where} answered {status}: {said}"
    terminal = _terminal_cause(status, said)
    if terminal is not None:
        return EndpointUnusable(told, cause=terminal, status=status)
    if status in (408, 409, 425, 429) or status >= 500:
        return EndpointBusy(
            told,
            cause=_transient_cause(status),
            status=status,
            retry_after=_retry_after(error.response.headers),
        )
    return RequestRefused(told, cause=_refusal_cause(status, said), status=status)


def _terminal_cause(status: int, said: str) -> FailureCause | None:
    """The cause why no request can be answered; ``None`` where another one could be."""
    if status == 429 and ("insufficient_quota" in said or "billing" in said):
        return FailureCause.QUOTA
    if status == 404 and "model" not in said.lower():
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


def _said(error: openai.APIStatusError) -> str:
    """The server's own words, with its error code where that says more."""
    body = error.body if isinstance(error.body, Mapping) else {}
    message = body.get("message") or error.response.text or "nothing"
    code = next((one for one in (body.get("code"), body.get("type")) if isinstance(one, str)), "")
    text = f"{message} ({code})" if code else str(message)
    return f"{' '.join(text.split()):.{LONGEST_QUOTE}}"


def _retry_after(headers: httpx2.Headers) -> float | None:
    """Seconds from ``retry-after-ms`` or ``retry-after``; dates are not worth a clock skew."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    return None
