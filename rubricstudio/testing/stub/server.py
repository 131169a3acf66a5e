"""The routes of the stub, its queue, and the ways in which requests go wrong."""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Final

from rubricstudio.llm.client import Backend
from rubricstudio.testing.stub.behaviour import Behaviour, Fault
from rubricstudio.testing.stub.completion import Completions, room_of, tokens_in
from rubricstudio.testing.stub.constraints import BadConstraint
from rubricstudio.testing.stub.http import HttpRequest, HttpResponse, Reset
from rubricstudio.testing.stub.requestlog import LoggedRequest, RequestLog

VERSION: Final = "0.32.0"
"""The version of vLLM whose dialect this is."""
BUILD: Final = "b0-stub"
"""What llama.cpp's server gives as its version."""
CHAT: Final = "/v1/chat/completions"
HANGS: Final = 3600.0
HOLD_LOOK: Final = 0.01
ENCODER: Final = json.JSONEncoder(ensure_ascii=False)

STATUS_FAULTS: Final[Mapping[Fault, tuple[int, str, str]]] = {
    Fault.HTTP_400: (400, "this request is not to my liking", "BadRequestError"),
    Fault.HTTP_401: (401, "Incorrect API key provided", "invalid_api_key"),
    Fault.HTTP_402: (402, "Payment required", "insufficient_balance"),
    Fault.HTTP_404: (404, "The model `gone` does not exist.", "NotFoundError"),
    Fault.HTTP_429: (429, "Too many requests", "rate_limit_exceeded"),
    Fault.QUOTA: (429, "You exceeded your current quota", "insufficient_quota"),
    Fault.HTTP_500: (500, "internal server error", "InternalServerError"),
    Fault.HTTP_503: (503, "The engine is currently busy", "ServiceUnavailableError"),
}


class StubServer:
    """One server: its behaviour may change while it runs."""

    def __init__(self, behaviour: Behaviour, log: RequestLog) -> None:
        self.behaviour = behaviour
        self._log = log
        self._completions = Completions()
        self._requests = 0
        self._in_flight = 0
        self._max_in_flight = 0
        self._running = 0
        self._rejected = 0
        self._waiting: list[asyncio.Future[None]] = []
        self._routes: Mapping[tuple[str, str], Callable[[HttpRequest], HttpResponse]] = {
            ("GET", "/health"): lambda request: HttpResponse(200, b""),
            ("GET", "/version"): lambda request: _json(200, {"version": VERSION}),
            ("GET", "/tokenizer_info"): lambda request: self._told_by(Backend.VLLM),
            ("GET", "/props"): lambda request: self._told_by(Backend.LLAMACPP),
            ("GET", "/v1/models"): self._models,
            ("POST", "/tokenize"): _tokenize,
            ("GET", "/metrics"): self._metrics,
            ("GET", "/stub/state"): self._state,
            ("POST", "/stub/behaviour"): self._configure,
        }

    async def handle(self, request: HttpRequest) -> HttpResponse:
        """Answer one request of any route."""
        path = request.path.partition("?")[0]
        if path == CHAT and request.method == "POST":
            return await self._logged(request)
        route = self._routes.get((request.method, path))
        return route(request) if route else _error(404, "Not Found", "NotFoundError")

    async def _logged(self, request: HttpRequest) -> HttpResponse:
        self._requests += 1
        self._in_flight += 1
        self._max_in_flight = max(self._max_in_flight, self._in_flight)
        ordinal, in_flight, start = self._requests, self._in_flight, time.time()
        digest = hashlib.sha256(request.body).hexdigest()
        fault = self.behaviour.fault_of(ordinal, digest)
        status, gone = 0, False
        try:
            response = await self._chat(request, fault, ordinal)
            status = response.status
        except asyncio.CancelledError:
            gone = True
            raise
        else:
            return response
        finally:
            self._in_flight -= 1
            kind = fault.value if fault else ""
            self._log.write(
                LoggedRequest(ordinal, start, time.time(), status, digest, in_flight, kind, gone)
            )

    async def _chat(self, request: HttpRequest, fault: Fault | None, ordinal: int) -> HttpResponse:
        behaviour = self.behaviour
        refusal = self._refusal(request, fault)
        if refusal is not None:
            return refusal
        try:
            asked = json.loads(request.body)
        except ValueError as error:
            return _error(400, f"JSON decode error: {error}", "BadRequestError")
        problem = _problem(asked, behaviour)
        if problem is not None:
            return problem
        if behaviour.max_running and not await self._admitted():
            self._rejected += 1
            return self._busy(503, "The engine is currently busy", "ServiceUnavailableError")
        try:
            await self._while_held(request)
            await _lag(behaviour, fault)
            if fault is Fault.NOT_JSON:
                return HttpResponse(200, b"<html><body>Bad gateway</body></html>", "text/html")
            return _json(200, self._completions.complete(asked, behaviour, fault, ordinal))
        except BadConstraint as error:
            return _error(400, str(error), "BadRequestError")
        finally:
            if behaviour.max_running:
                self._leave()

    async def _while_held(self, request: HttpRequest) -> None:
        while self.behaviour.hold and self.behaviour.hold.encode() in request.body:
            await asyncio.sleep(HOLD_LOOK)

    def _refusal(self, request: HttpRequest, fault: Fault | None) -> HttpResponse | None:
        """The answer of a request that gets no further than the door."""
        if fault is Fault.RESET:
            raise Reset
        key = self.behaviour.api_key
        if key and request.headers.get("authorization") != f"Bearer {key}":
            return _error(401, "Unauthorized", "invalid_api_key")
        if fault is None or fault not in STATUS_FAULTS:
            return None
        status, message, code = STATUS_FAULTS[fault]
        return self._busy(status, message, code)

    def _busy(self, status: int, message: str, code: str) -> HttpResponse:
        response = _error(status, message, code)
        if status != 429:
            return response
        return response._replace(headers={"retry-after": f"{self.behaviour.retry_after:g}"})

    async def _admitted(self) -> bool:
        """Wait for one of the running places; false where the queue is full."""
        if self._running >= self.behaviour.max_running:
            if len(self._waiting) >= self.behaviour.max_queued:
                return False
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn in self._waiting:
                    self._waiting.remove(turn)
                else:
                    self._leave()
                raise
            return True
        self._running += 1
        return True

    def _leave(self) -> None:
        """Hand the place on to whoever waits longest, or give it back."""
        if self._waiting:
            self._waiting.pop(0).set_result(None)
        else:
            self._running -= 1

    def _models(self, request: HttpRequest) -> HttpResponse:
        row = {
            "id": self.behaviour.model,
            "object": "model",
            "max_model_len": self.behaviour.max_model_len,
        }
        return _json(200, {"object": "list", "data": [row]})

    def _told_by(self, backend: Backend) -> HttpResponse:
        """What a server of this kind tells of itself; the others have no such route."""
        told = {"chat_template": self.behaviour.chat_template, "build_info": BUILD}
        if self.behaviour.backend is not backend or not self.behaviour.chat_template:
            return _error(404, "Not Found", "NotFoundError")
        return _json(200, told)

    def _configure(self, request: HttpRequest) -> HttpResponse:
        try:
            self.behaviour = self.behaviour.changed(json.loads(request.body))
        except (ValueError, TypeError) as error:
            return _error(400, str(error), "BadRequestError")
        return _json(200, asdict(self.behaviour))

    def _state(self, request: HttpRequest) -> HttpResponse:
        self._log.flush()
        return _json(
            200,
            {
                "requests": self._requests,
                "in_flight": self._in_flight,
                "max_in_flight": self._max_in_flight,
                "rejected": self._rejected,
                "cached_tokens": self._completions.hits,
                "prompt_tokens": self._completions.queried,
            },
        )

    def _metrics(self, request: HttpRequest) -> HttpResponse:
        values = {
            "vllm:num_requests_running": self._running or self._in_flight - len(self._waiting),
            "vllm:num_requests_waiting": len(self._waiting),
            "vllm:prefix_cache_queries_total": self._completions.queried,
            "vllm:prefix_cache_hits_total": self._completions.hits,
        }
        label = f'{{model_name="{self.behaviour.model}"}}'
        lines = [f"{name}{label} {float(value)}" for name, value in values.items()]
        rejected = f'{{model_name="{self.behaviour.model}",reason="queue_full"}}'
        lines.append(f"vllm:admission_rejections_total{rejected} {float(self._rejected)}")
        return HttpResponse(200, ("\n".join(lines) + "\n").encode(), "text/plain; version=0.0.4")


def _problem(asked: Any, behaviour: Behaviour) -> HttpResponse | None:
    """What is wrong with a request before any token is drawn."""
    if not isinstance(asked, Mapping) or not isinstance(asked.get("messages"), list):
        return _error(400, "messages: Field required", "BadRequestError")
    checks_model = behaviour.backend is not Backend.LLAMACPP
    if checks_model and asked.get("model") != behaviour.model:
        return _error(404, f"The model `{asked.get('model')}` does not exist.", "NotFoundError")
    prompt = sum(tokens_in(str(one.get("content") or "")) for one in asked["messages"])
    if prompt >= behaviour.max_model_len:
        return _error(
            400,
            f"This model's maximum context length is {behaviour.max_model_len} tokens. However, "
            f"your request has {prompt} input tokens.",
            "BadRequestError",
        )
    room = room_of(asked, behaviour)
    if behaviour.backend is Backend.VLLM and not 0 < room <= behaviour.max_model_len:
        return _error(
            400,
            f"max_tokens={room} has to lie between 1 and max_model_len={behaviour.max_model_len}.",
            "BadRequestError",
        )
    return None


async def _lag(behaviour: Behaviour, fault: Fault | None) -> None:
    seconds = behaviour.latency
    if fault is Fault.SLOW:
        seconds = behaviour.slow
    elif fault is Fault.HANG:
        seconds = HANGS
    if seconds:
        await asyncio.sleep(seconds)


def _tokenize(request: HttpRequest) -> HttpResponse:
    try:
        text = str(json.loads(request.body).get("prompt") or "")
    except (ValueError, AttributeError) as error:
        return _error(400, str(error), "BadRequestError")
    count = tokens_in(text)
    return _json(200, {"count": count, "max_model_len": 32_768, "tokens": list(range(count))})


def _json(status: int, value: Any) -> HttpResponse:
    return HttpResponse(status, ENCODER.encode(value).encode("utf-8", "replace"))


def _error(status: int, message: str, code: str) -> HttpResponse:
    body = {"error": {"message": message, "type": code, "param": None, "code": code}}
    return _json(status, body)
