"""How the stub behaves: which server it plays, its limits, and which requests go wrong how."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

from rubricstudio.llm.client import Backend


class Fault(StrEnum):
    """What may go wrong with one request."""

    SLOW = "slow"
    HANG = "hang"
    RESET = "reset"
    NOT_JSON = "not_json"
    NONSENSE = "nonsense"
    IGNORED = "ignored"
    NULL_CONTENT = "null_content"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"
    THINK_TAGS = "think_tags"
    OFF_SCALE = "off_scale"
    WRONG_ID = "wrong_id"
    QUOTA = "quota"
    HTTP_400 = "http_400"
    HTTP_401 = "http_401"
    HTTP_402 = "http_402"
    HTTP_404 = "http_404"
    HTTP_429 = "http_429"
    HTTP_500 = "http_500"
    HTTP_503 = "http_503"


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One way to behave. Seconds, counts and shares of requests.

    ``faults`` gives each kind its share; which requests it meets is drawn in the order of arrival,
    or, where ``sticky``, by the request itself, so that asking again changes nothing.
    ``thinking_tokens`` is what the model spends when it thinks, 0 for one that does not;
    without ``reasoning_parser`` its thinking stays in the content. ``noise`` is the share of
    answers that depend on the seed. ``max_running`` 0 means no bound. Requests in which the words
    of ``hold`` occur wait until they are let go. Without a ``chat_template``
    the server does not tell it.
    """

    backend: Backend = Backend.VLLM
    model: str = "judge"
    chat_template: str = "{% for message in messages %}{{ message.content }}{% endfor %}"
    api_key: str = ""
    latency: float = 0.0
    slow: float = 5.0
    faults: Mapping[str, float] = field(default_factory=dict)
    sticky: bool = False
    hold: str = ""
    seed: int = 0
    noise: float = 0.0
    thinking_tokens: int = 0
    reasoning_parser: bool = True
    max_running: int = 0
    max_queued: int = 1_000_000
    max_model_len: int = 32_768
    retry_after: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "backend", Backend(self.backend))
        object.__setattr__(
            self, "faults", {Fault(kind): share for kind, share in self.faults.items()}
        )

    def changed(self, changes: Mapping[str, Any]) -> "Behaviour":
        """The behaviour with some settings changed; raises ``ValueError`` for unknown ones."""
        unknown = set(changes) - {one.name for one in fields(self)}
        if unknown:
            raise ValueError(f"a behaviour has no {sorted(unknown)}")
        return replace(self, **changes)

    def fault_of(self, ordinal: int, body_hash: str) -> Fault | None:
        """What goes wrong with the request that arrived as number ``ordinal``, if anything."""
        if not self.faults:
            return None
        told = body_hash if self.sticky else str(ordinal)
        drawn = random.Random(f"{self.seed}:{told}").random()  # noqa: S311 - repeatable on purpose
        for kind, share in self.faults.items():
            if drawn < share:
                return Fault(kind)
            drawn -= share
        return None
