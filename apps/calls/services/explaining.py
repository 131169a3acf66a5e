"""One call with everything behind it: its template, the request that was sent, the raw answer.

The request is made again from its stored parts, byte for byte; where a text was dropped by the
retention policy the call says so instead.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from apps.activity.errors import ApplicationError
from apps.calls.models import Call, TemplateVersion
from apps.calls.services.records import rebuild_request
from apps.calls.services.texts import read_texts


@dataclass(frozen=True)
class ExplainedCall:
    """One attempt. `request` is the JSON that was sent; `sampling` all of it but the messages.

    `answer` and `reasoning` are as the server sent them. Where a text is kept no longer, `dropped`
    says so and what needs it is None.
    """

    call: Call
    template: str
    template_version: int
    template_sha256: str
    request: dict[str, Any] | None
    sampling: dict[str, Any] | None
    answer: str | None
    reasoning: str | None
    dropped: str = ""


def explain_call(call: Call) -> ExplainedCall:
    version = TemplateVersion.objects.select_related("template").get(pk=call.template_version_id)
    dropped = ""
    request = answer = reasoning = None
    try:
        answer, reasoning = (_text(one) for one in (call.answer_sha256, call.reasoning_sha256))
        request = json.loads(rebuild_request(call))
    except ApplicationError as error:
        dropped = error.message
    return ExplainedCall(
        call=call,
        template=version.template.name,
        template_version=version.version,
        template_sha256=version.sha256,
        request=request,
        sampling=request and {key: one for key, one in request.items() if key != "messages"},
        answer=answer,
        reasoning=reasoning,
        dropped=dropped,
    )


def _text(sha256: str) -> str | None:
    return read_texts([sha256])[sha256] if sha256 else None
