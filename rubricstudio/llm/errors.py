"""Errors of asking a model. Each message is one sentence: what is wrong, where, what to do.

LLMError
├── TemplateError          a template, or its slots, cannot be rendered
├── RecordError            a stored call does not rebuild into the request that was sent
├── GivenUp                whoever asked wants no answer any more
└── EndpointError          an attempt without a usable answer; ``cause`` says of which kind
    ├── EndpointBusy       may go well later: 429, 503, 5xx, a timeout, a reset, no connection
    │                      (asked again)
    ├── RequestRefused     wrong with this request alone: 400, too long (not asked again)
    └── EndpointUnusable   wrong with every request: 401, 402, no such model, no such host,
                           quota used up, constraint ignored (the run stops)
"""

from rubricstudio.core.types import FailureCause


class LLMError(Exception):
    """Any refusal or failure around a model."""


class TemplateError(LLMError):
    """A slot is unknown or missing, a section mark is missing, a nonce is not usable."""


class RecordError(LLMError):
    """A stored call and its template do not make the request whose hash was stored."""


class GivenUp(LLMError):
    """The question was given up before it was answered; it comes back failed, as cancelled."""


class EndpointError(LLMError):
    """One attempt that brought no usable answer; ``status`` is the HTTP status, if any came."""

    def __init__(self, message: str, *, cause: FailureCause, status: int | None = None) -> None:
        super().__init__(message)
        self.cause = cause
        self.status = status


class EndpointBusy(EndpointError):
    """Transient: the same request may be answered later; ``retry_after`` in seconds if told."""

    def __init__(
        self,
        message: str,
        *,
        cause: FailureCause,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, cause=cause, status=status)
        self.retry_after = retry_after


class RequestRefused(EndpointError):
    """Terminal for one request: the server understands it and will never answer it."""


class EndpointUnusable(EndpointError):
    """Terminal for the endpoint: no request can be answered until somebody changes something."""
