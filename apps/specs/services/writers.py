"""The models that write a spec, and what came of asking them about one prompt.

Paper 000, section 3.1: the task label picks the plug-in of the rubric template; the constraints are
found in the prompt alone, not in the rubric. Both are asked at the same time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from apps.accounts import project_settings
from apps.accounts.models import Project
from apps.calls.models import ModelRole
from apps.calls.services import Asker, LeasedLimit, RoleClient, client_for, store_calls
from apps.specs.services.coding import Coded, write_checker
from rubricstudio.core.checkers.generated import GENERATED
from rubricstudio.core.parsing import CodeDraft, ExtractedConstraints, RubricDraft, TaskLabel
from rubricstudio.core.types import Constraint, Message
from rubricstudio.llm.client import (
    Asked,
    CallRecord,
    CodeWriter,
    ConstraintExtractor,
    Labeller,
    RubricWriter,
)
from rubricstudio.llm.leaving import WayOut
from rubricstudio.llm.openai_client import OpenAIModel

Role = ModelRole.Name
ROLES = (Role.LABEL, Role.RUBRIC, Role.CONSTRAINTS)
MOST_PROMPTS_AT_ONCE = 64


def roles_of(project: Project) -> tuple[Role, ...]:
    """The roles that make specs in a project."""
    generated = project_settings.load(project).generated_checkers
    return (*ROLES, Role.CODE) if generated else ROLES


AnyAsked = Asked[TaskLabel] | Asked[RubricDraft] | Asked[ExtractedConstraints] | Asked[CodeDraft]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which parts of a spec the model is to write.

    `code` holds published requirements that wait for a generated checker.
    """

    rubric: bool
    constraints: bool
    code: tuple[Constraint, ...] = ()

    def __bool__(self) -> bool:
        return self.rubric or self.constraints or bool(self.code)


@dataclass(frozen=True, slots=True)
class Answers:
    """What the model said about one prompt; None for what it was not asked."""

    label: Asked[TaskLabel] | None = None
    rubric: Asked[RubricDraft] | None = None
    constraints: Asked[ExtractedConstraints] | None = None
    coded: tuple[Coded, ...] = ()

    def by_role(self) -> Iterator[tuple[Role, AnyAsked]]:
        for role, asked in zip(ROLES, (self.label, self.rubric, self.constraints), strict=True):
            if asked is not None:
                yield role, asked
        for coded in self.coded:
            yield from ((Role.CODE, asked) for asked in coded.asked)

    def flaw(self) -> tuple[Role, AnyAsked] | None:
        """The first part that brought nothing usable, if any.

        Code that nothing came of is none: its requirement is unavailable, and the rest counts.
        """
        return next(
            (
                (role, one)
                for role, one in self.by_role()
                if one.value is None and (role != Role.CODE or one.failure is not None)
            ),
            None,
        )


@dataclass(frozen=True, slots=True)
class Writers:
    """Who labels, writes rubrics and finds constraints. Belongs to one event loop."""

    labeller: Labeller
    rubrics: RubricWriter
    extractor: ConstraintExtractor
    way_out: WayOut = field(default_factory=WayOut)
    # Who writes checkers; nobody where the project has them switched off.
    coder: CodeWriter | None = None

    async def ask(self, prompt: Sequence[Message], wanted: Wanted) -> Answers:
        """Everything wanted about one prompt; a rubric needs a usable label first."""
        (label, rubric), (constraints, coded) = await asyncio.gather(
            self._rubric(prompt, wanted.rubric), self._checkers(prompt, wanted)
        )
        return Answers(label, rubric, constraints, coded)

    async def _checkers(
        self, prompt: Sequence[Message], wanted: Wanted
    ) -> tuple[Asked[ExtractedConstraints] | None, tuple[Coded, ...]]:
        """The constraints, then the code for those that no type expresses."""
        found = await self._constraints(prompt, wanted.constraints)
        if self.coder is None:
            return found, ()
        extracted = found.value.constraints if found and found.value else ()
        todo = [*wanted.code, *(one for one in extracted if one.type == GENERATED)]
        coder = self.coder
        return found, tuple(
            await asyncio.gather(*(write_checker(coder, prompt, one) for one in todo))
        )

    async def _rubric(
        self, prompt: Sequence[Message], wanted: bool
    ) -> tuple[Asked[TaskLabel] | None, Asked[RubricDraft] | None]:
        if not wanted:
            return None, None
        label = await self.labeller.label(prompt)
        if label.value is None:
            return label, None
        return label, await self.rubrics.write_rubric(prompt, label=label.value.label)

    async def _constraints(
        self, prompt: Sequence[Message], wanted: bool
    ) -> Asked[ExtractedConstraints] | None:
        if not wanted:
            return None
        generated = self.coder is not None
        return await self.extractor.extract_constraints(prompt, generated=generated)


@dataclass(frozen=True, slots=True)
class Desk:
    """The configured roles of one project: opened for asking, and named in what they made."""

    clients: Mapping[Role, RoleClient]

    @classmethod
    def of(cls, project: Project) -> Desk:
        """Raises `Blocked` when a role has no model."""
        return cls({role: client_for(project, role) for role in roles_of(project)})

    @property
    def writes_code(self) -> bool:
        return Role.CODE in self.clients

    @property
    def at_once(self) -> int:
        """How many prompts may be under way: no more than the endpoints take calls."""
        endpoints = {one.endpoint.pk: one.endpoint for one in self.clients.values()}
        return min(MOST_PROMPTS_AT_ONCE, sum(one.max_in_flight for one in endpoints.values()))

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Writers]:
        """The models, with leased slots: one lease per endpoint, whichever roles share it."""
        async with AsyncExitStack() as stack:
            leases: dict[int, LeasedLimit] = {}
            models: dict[Role, OpenAIModel] = {}
            way_out = WayOut()
            for role, client in self.clients.items():
                if client.endpoint.pk not in leases:
                    lease = client.limiter(want=client.endpoint.max_in_flight)
                    leases[client.endpoint.pk] = await stack.enter_async_context(lease)
                model = client.model(leases[client.endpoint.pk], way_out=way_out)
                models[role] = await stack.enter_async_context(model)
            yield Writers(
                models[Role.LABEL],
                models[Role.RUBRIC],
                models[Role.CONSTRAINTS],
                way_out,
                models.get(Role.CODE),
            )

    def keep(self, answers: Answers, *, project: Project, job_id: int | None) -> dict[str, Any]:
        """Store every attempt; by role: the calls, and what they depended on.

        Call it inside the transaction that stores what the calls led to.
        """
        ids = iter(self._store(answers, project=project, job_id=job_id))
        kept: dict[str, dict[str, Any]] = {}
        for role, asked in answers.by_role():
            part = kept.setdefault(role.value, self._nothing_of(role))
            part["calls"] += [next(ids) for _ in asked.calls]
            part["templates"] |= {one.template_name: one.template_sha256 for one in asked.calls}
            part["flags"] += [flag for flag in asked.flags if flag not in part["flags"]]
        if answers.coded:
            kept[Role.CODE]["requirements"] = [one.as_dict() for one in answers.coded]
        if answers.label is not None and answers.label.value is not None:
            kept[Role.LABEL]["read"] = asdict(answers.label.value)
            if answers.rubric is not None:
                kept[Role.RUBRIC]["templates"] |= self._plugin(answers.label.value.label)
        if answers.constraints is not None and answers.constraints.value is not None:
            dropped = answers.constraints.value.dropped
            kept[Role.CONSTRAINTS]["dropped"] = [one.detail for one in dropped]
        return kept

    def _store(self, answers: Answers, *, project: Project, job_id: int | None) -> list[int]:
        """All attempts of all roles in one go, in the order of the roles."""
        records: list[CallRecord] = []
        askers: list[Asker] = []
        parsed: list[dict[str, Any] | None] = []
        for role, asked in answers.by_role():
            asker = self.clients[role].asker(project=project, job_id=job_id)
            for record in asked.calls:
                records.append(record)
                askers.append(asker)
                parsed.append(_as_json(asked) if record is asked.calls[-1] else None)
        return store_calls(records, asker=askers, parsed=parsed)

    def _nothing_of(self, role: Role) -> dict[str, Any]:
        configuration = self.clients[role].configuration()
        return {"calls": [], "templates": {}, "configuration": configuration, "flags": []}

    def _plugin(self, label: str) -> dict[str, str]:
        """The part of the rubric template that the label chose."""
        templates = self.clients[Role.RUBRIC].templates
        plugin = templates.get(f"rubric_{label}", templates["rubric_general"])
        return {plugin.name: plugin.sha256}


def model_error(role: Role, asked: AnyAsked) -> str:
    """Why a part could not be made, as a sentence."""
    part = {
        Role.LABEL: _("task label"),
        Role.RUBRIC: _("rubric"),
        Role.CONSTRAINTS: _("constraints"),
        Role.CODE: _("checker"),
    }
    reason = asked.failure or asked.unscored
    told = asked.detail.rstrip(".")
    return _("The model gave no %(part)s (%(reason)s): %(told)s.") % {
        "part": part[role],
        "reason": reason.value if reason else "",
        "told": told,
    }


def _as_json(asked: AnyAsked) -> dict[str, Any]:
    """What was read from the last answer, or why nothing was."""
    value = asked.value
    if value is None:
        reason = asked.failure or asked.unscored
        return {"nothing": reason.value if reason else "", "detail": asked.detail}
    if isinstance(value, TaskLabel):
        return asdict(value)
    if isinstance(value, RubricDraft):
        return {"criteria": [one.to_dict() for one in value.criteria]}
    if isinstance(value, CodeDraft):
        return asdict(value)
    return {
        "constraints": [one.to_dict() for one in value.constraints],
        "dropped": [{"row": one.row, "detail": one.detail} for one in value.dropped],
    }
