"""From a requirement that no constraint type expresses to a checker that may count.

The model writes a source with examples, the jail tries it, and what was wrong goes back to the
model: three times at most (paper 000, A.4). Then the requirement stays without a checker, so it is
unavailable and the others count without it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from apps.specs.services.drafts import DraftConstraint
from rubricstudio.core.parsing import CodeDraft
from rubricstudio.core.types import Constraint, Message
from rubricstudio.llm.client import Asked, CodeWriter
from rubricstudio.llm.conversation import last_user_text
from rubricstudio.sandbox.errors import SandboxError
from rubricstudio.sandbox.gate import MODULES
from rubricstudio.sandbox.validation import Validation, validate

MOST_TRIES = 4
"""The first, and three with the error text fed back."""


@dataclass(slots=True)
class Coded:
    """What came of one requirement: code that was validated, or the reason why there is none."""

    wanted: Constraint
    code: str = ""
    reason: str = ""
    validation: dict[str, Any] = field(default_factory=dict)
    tries: list[dict[str, Any]] = field(default_factory=list)
    asked: list[Asked[CodeDraft]] = field(default_factory=list)

    def as_draft(self, *, origin: str) -> DraftConstraint:
        """The constraint with its checker, or with the sentence why it has none."""
        if not self.code:
            told = _("no checker could be written for it: %s") % self.reason
            return DraftConstraint(self.wanted, origin, told)
        log = {**self.validation, "tries": self.tries}
        return DraftConstraint.generated(self.wanted, origin=origin, code=self.code, validation=log)

    def as_dict(self) -> dict[str, Any]:
        """As provenance holds it."""
        return {
            "requirement": self.wanted.params["requirement"],
            "reason": self.reason,
            "tries": self.tries,
        }


async def write_checker(writer: CodeWriter, prompt: Sequence[Message], wanted: Constraint) -> Coded:
    """Ask for code until it holds or the tries are used up. `wanted` names the requirement."""
    coded = Coded(wanted)
    attempt = ""
    for _number in range(MOST_TRIES):
        asked = await writer.write_code(
            prompt,
            requirement=str(wanted.params["requirement"]),
            attempt=attempt,
            modules=list(MODULES),
        )
        coded.asked.append(asked)
        if asked.failure is not None or (asked.value is not None and asked.value.code is None):
            coded.reason = asked.detail or _("the model says that no program can decide it")
            return coded
        try:
            attempt = await _try(coded, asked, last_user_text(prompt))
        except SandboxError as error:
            coded.reason = str(error)
            return coded
        if coded.code:
            return coded
    return coded


async def _try(coded: Coded, asked: Asked[CodeDraft], instruction: str) -> str:
    """Validate one draft; what to tell the model where it does not hold."""
    draft = asked.value
    if draft is None or draft.code is None:
        coded.reason = asked.detail
        return asked.detail
    found = await asyncio.to_thread(
        validate, draft.code, instruction=instruction, examples=draft.examples
    )
    return _look_at(coded, draft.code, found)


def _look_at(coded: Coded, code: str, found: Validation) -> str:
    problems = list(found.problems)
    if found.passed:
        coded.code, coded.reason, coded.validation = code, "", found.as_dict()
        return ""
    coded.reason = "; ".join(problems)
    coded.tries.append({"code": code, "problems": problems})
    listed = "\n".join(f"- {one}" for one in problems)
    return f"{code}\n\nWhat was wrong:\n{listed}"
