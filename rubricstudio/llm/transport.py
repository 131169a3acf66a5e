"""Sends bytes to one endpoint and says what went wrong in our own errors.

The SDK knows address, key and headers, and owns the connections. What it builds around each single
request costs more than everything else here together, so requests are made once from its parts
and handed to its HTTP client. Nothing is sent twice at this level.
"""

import asyncio
import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

import aiohttp
import httpx2

from rubricstudio.core.types import FailureCause
from rubricstudio.llm.client import Endpoint
from rubricstudio.llm.errors import EndpointBusy, EndpointError, EndpointUnusable
from rubricstudio.llm.statuses import status_error

CHAT: Final = "/chat/completions"
MODELS: Final = "/models"
LONGEST_QUOTE: Final = 300
TIMEOUTS: Final = (TimeoutError, aiohttp.ServerTimeoutError)
NO_CONNECTION: Final = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
NEVER_WELL: Final = (aiohttp.InvalidURL, aiohttp.ClientConnectorCertificateError)
"""No connection either, and none later: somebody has to change something."""


class Answer(NamedTuple):
    """What an endpoint answered with a status below 400: its JSON value."""

    status: int
    data: Any


@dataclass(frozen=True, slots=True)
class _Pool:
    """The connections of one event loop, with what every request carries."""

    http: httpx2.AsyncClient
    base_url: httpx2.URL
    headers: httpx2.Headers
    extensions: dict[str, Any]
    urls: dict[str, httpx2.URL] = field(default_factory=dict)

    def url(self, path: str) -> httpx2.URL:
        """A path under the address, or a whole address; reading one is not cheap."""
        if path not in self.urls:
            self.urls[path] = self.base_url.join(path.removeprefix("/"))
        return self.urls[path]


class Transport:
    """Requests to one endpoint; one pool of connections per event loop that uses it."""

    def __init__(self, endpoint: Endpoint) -> None:
        # Loading it takes longer than all else together: who asks nothing is spared that, and who
        # asks has it behind them before a call is timed.
        import openai  # noqa: F401

        self.endpoint = endpoint
        self._pools: WeakKeyDictionary[asyncio.AbstractEventLoop, _Pool] = WeakKeyDictionary()

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
        pool = self._pools.pop(asyncio.get_running_loop(), None)
        if pool is not None:
            await pool.http.aclose()

    async def post(self, path: str, content: bytes, *, seconds: float | None = None) -> Answer:
        """Send JSON to a path under the address, or to a whole address.

        ``seconds`` shortens the endpoint's timeout. Raises :class:`EndpointError`.
        """
        return await self._answer("POST", path, content, seconds)

    async def get(self, path: str) -> Answer:
        """Ask for a JSON document, such as the list of models."""
        return await self._answer("GET", path, None, None)

    async def _answer(
        self, method: str, path: str, content: bytes | None, seconds: float | None
    ) -> Answer:
        pool = self._pool()
        request = httpx2.Request(
            method,
            pool.url(path),
            headers=pool.headers,
            content=content,
            extensions=pool.extensions,
        )
        limit = self.endpoint.timeout if seconds is None else min(seconds, self.endpoint.timeout)
        try:
            # The client's own timeout counts silence; a server that drips bytes would outlive it.
            async with asyncio.timeout(limit):
                response = await pool.http.send(request)
        except (TimeoutError, httpx2.RequestError, aiohttp.ClientError) as error:
            raise connection_error(error, self.endpoint) from error
        return self._read(response)

    def _read(self, response: httpx2.Response) -> Answer:
        if response.status_code >= 300:
            raise status_error(response, self.endpoint)
        try:
            return Answer(response.status_code, json.loads(response.content))
        except (ValueError, RecursionError):
            raise EndpointBusy(
                f"{self.endpoint.base_url} answered {response.status_code} without JSON: "
                f"{response.text:.120}",
                cause=FailureCause.BAD_RESPONSE,
                status=response.status_code,
            ) from None

    def _pool(self) -> _Pool:
        loop = asyncio.get_running_loop()
        pool = self._pools.get(loop)
        if pool is None:
            pool = self._pools[loop] = _opened(self.endpoint)
        return pool


def _opened(endpoint: Endpoint) -> _Pool:
    from openai import AsyncOpenAI, DefaultAioHttpClient

    timeout = httpx2.Timeout(endpoint.timeout, connect=endpoint.connect_timeout)
    # Certificates take a tenth of a second to load.
    encrypted = endpoint.base_url.startswith("https://")
    http = DefaultAioHttpClient(timeout=timeout, verify=encrypted)
    sdk = AsyncOpenAI(
        base_url=endpoint.base_url,
        # The SDK insists on a key; servers without one ignore it.
        api_key=endpoint.api_key or "none",
        max_retries=0,
        http_client=http,
    )
    told = {**sdk.default_headers, **sdk.auth_headers, "Content-Type": "application/json"}
    headers = httpx2.Headers(
        {name: value for name, value in told.items() if isinstance(value, str)}
    )
    return _Pool(http, sdk.base_url, headers, {"timeout": timeout.as_dict()})


def connection_error(error: Exception, endpoint: Endpoint) -> EndpointError:
    """Our error where no answer came: what happened, where, and whether to ask again."""
    where, causes = endpoint.base_url, list(_causes(error))
    for one in causes:
        if isinstance(one, (*NO_CONNECTION, *NEVER_WELL)):
            return _unreachable(one, causes[-1], endpoint)
    if any(isinstance(one, TIMEOUTS) for one in causes):
        return EndpointBusy(
            f"{where} did not answer within {endpoint.timeout:g} s", cause=FailureCause.TIMEOUT
        )
    return EndpointBusy(
        f"the connection to {where} broke: {_quoted(causes[-1])}", cause=FailureCause.TRANSPORT
    )


def _unreachable(kind: BaseException, root: BaseException, endpoint: Endpoint) -> EndpointError:
    """A host that nobody knows stays unknown; one that is down may be up in a moment."""
    where, cause = endpoint.base_url, FailureCause.UNREACHABLE
    if isinstance(root, socket.gaierror) and root.errno != socket.EAI_AGAIN:
        return EndpointUnusable(f"the host of {where} is unknown", cause=cause)
    if isinstance(kind, NEVER_WELL):
        return EndpointUnusable(f"{where} cannot be asked: {_quoted(root)}", cause=cause)
    if isinstance(root, ConnectionRefusedError):
        told = f"nothing listens at {where} (connection refused)"
    elif isinstance(kind, aiohttp.ConnectionTimeoutError):
        told = f"{where} took no connection within {endpoint.connect_timeout:g} s"
    else:
        told = f"no connection to {where}: {_quoted(root)}"
    return EndpointBusy(told, cause=cause)


def _quoted(error: BaseException) -> str:
    return f"{' '.join(str(error).split()) or type(error).__name__:.{LONGEST_QUOTE}}"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what it was raised from; the DNS failure hides in an attribute of one."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        hidden = getattr(cause, "os_error", None)
        cause = cause.__cause__ or (hidden if isinstance(hidden, BaseException) else None)
