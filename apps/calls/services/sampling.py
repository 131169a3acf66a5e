"""How a model is asked in each role: defaults by its family, and what a role's row may hold.

The numbers for Qwen3, Qwen3.5 and GPT-5 are those of paper 000, Table 7, which has others for a
model that is told not to think. A family that thinks is told when to (appendix A.1: not about
criteria of weight 1 and 2); for one that thinks by itself nothing is said and room is left; one
that does not think is told so, for servers that would else reserve room for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from apps.activity.errors import BadInput
from apps.calls.models import ModelRole
from rubricstudio.core.parsing.rubrics import MOST_CRITERIA
from rubricstudio.llm.client import Drawing, OutputMode, Sampling, Thinking

Role = ModelRole.Name


class RoleDrawing(BaseModel):
    """How tokens are drawn; None leaves a number to the server."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    temperature: float | None = Field(default=0.0, ge=0)
    top_p: float | None = Field(default=None, gt=0, le=1)
    top_k: int | None = Field(default=None, ge=1)
    presence_penalty: float | None = None


class RoleSampling(RoleDrawing):
    """What `ModelRole.sampling` holds; `version` says which set of keys it was written with."""

    version: Literal[1] = 1
    # The numbers where the model is told not to think; None: the same.
    without_thinking: RoleDrawing | None = None
    seed: int | None = None
    # Room for the answer alone; a model that thinks gets `thinking_tokens` on top.
    max_tokens: int = Field(default=512, ge=1)
    thinking_tokens: int = Field(default=8192, ge=0)
    thinking: Thinking = Thinking.NEVER
    output_mode: OutputMode = OutputMode.EXPLAINED
    # How many criteria the rubric writer is asked for at most.
    most_criteria: int = Field(default=MOST_CRITERIA, ge=1, le=MOST_CRITERIA)

    def for_client(self) -> Sampling:
        """The part that goes into each request."""
        plain = self.without_thinking
        return Sampling(
            temperature=self.temperature,
            top_p=self.top_p,
            top_k=self.top_k,
            presence_penalty=self.presence_penalty,
            without_thinking=None if plain is None else Drawing(**plain.model_dump()),
            max_tokens=self.max_tokens,
            thinking_tokens=self.thinking_tokens,
            seed=self.seed,
        )


@dataclass(frozen=True, slots=True)
class Family:
    """Models whose name matches, what they are sampled with, and whether they think."""

    pattern: str
    sampling: RoleSampling
    # None: the role decides, since the family can be told.
    thinking: Thinking | None = None


QWEN3_PLAIN: Final = RoleDrawing(temperature=0.7, top_p=0.95, top_k=20)
QWEN35_PLAIN: Final = RoleDrawing(temperature=0.8, top_p=0.8, top_k=20, presence_penalty=1.5)
"""Without thinking."""

FAMILIES: Final = (
    Family(
        r"qwen3\.5",
        RoleSampling(
            temperature=1.0,
            top_p=0.95,
            top_k=20,
            presence_penalty=1.5,
            without_thinking=QWEN35_PLAIN,
        ),
    ),
    Family(r"qwen3.*instruct", RoleSampling(**QWEN3_PLAIN.model_dump()), Thinking.NEVER),
    Family(
        r"qwen3",
        RoleSampling(temperature=0.6, top_p=0.95, top_k=20, without_thinking=QWEN3_PLAIN),
    ),
    Family(r"gpt-5", RoleSampling(temperature=1.0), Thinking.UNSAID),
    Family(r"gpt-oss|\bo[1-9]\b", RoleSampling(temperature=None), Thinking.UNSAID),
    Family(
        r"thinking|reason|deepseek-r|qwq|magistral",
        RoleSampling(temperature=0.6),
        Thinking.UNSAID,
    ),
)
"""The first that matches counts; other models judge at temperature 0 and do not think."""

WRITERS: Final = frozenset({Role.LABEL, Role.RUBRIC, Role.CONSTRAINTS, Role.CODE})
WRITING: Final = RoleSampling(temperature=0.7, seed=1)
JUDGING: Final = RoleSampling()

ROOM: Final[Mapping[str, int]] = {
    Role.LABEL: 200,
    Role.RUBRIC: 6000,
    Role.CONSTRAINTS: 2000,
    Role.CODE: 4000,
    Role.JUDGE: 512,
    Role.GLOBAL: 512,
}

EMBEDDED_ROOM: Final[Mapping[str, int]] = {**ROOM, Role.RUBRIC: 2000, Role.CONSTRAINTS: 600}
EMBEDDED_CRITERIA: Final = 4
"""A model this small loses itself in a longer rubric."""


def default_sampling(role: str, *, model: str, embedded: bool = False) -> RoleSampling:
    """What a role starts with for a model of this name."""
    plain = WRITING if role in WRITERS else JUDGING
    if embedded:
        small = {"max_tokens": EMBEDDED_ROOM[role], "most_criteria": EMBEDDED_CRITERIA}
        return plain.model_copy(update=small)
    matching = (one for one in FAMILIES if re.search(one.pattern, model, re.IGNORECASE))
    family = next(matching, Family("", plain, Thinking.NEVER))
    by_role = Thinking.BY_WEIGHT if role == Role.JUDGE else Thinking.ALWAYS
    thinking = family.thinking or by_role
    return family.sampling.model_copy(update={"thinking": thinking, "max_tokens": ROOM[role]})


def read_sampling(role: ModelRole) -> RoleSampling:
    """The sampling of a role's row. Raises `BadInput` naming what is wrong with it."""
    try:
        return RoleSampling.model_validate(role.sampling)
    except ValidationError as error:
        flaws = "; ".join(
            f"{'.'.join(map(str, flaw['loc']))}: {flaw['msg']}" for flaw in error.errors()
        )
        raise BadInput(
            _("The sampling of the role %(role)s does not hold: %(flaws)s.")
            % {"role": role.role, "flaws": flaws}
        ) from None


def as_stored(sampling: RoleSampling) -> dict[str, Any]:
    """The form for the row."""
    return sampling.model_dump(mode="json")
