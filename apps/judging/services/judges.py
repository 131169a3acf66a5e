"""Who judges in a run: its identity, and the model that can be asked.

The identity names all that a verdict depends on beside the texts: model, weights, server, sampling,
thinking and templates, of the judge and of the global scorer, and the rules by which texts are
shown and replies are read. A run pins it; a worker whose models
are others by now does not touch the run.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from apps.accounts.models import Project
from apps.activity.errors import Blocked
from apps.calls.models import ModelRole
from apps.calls.services import UNKNOWN, RoleClient, client_for, probe_endpoint
from apps.judging.models import JudgeRun
from apps.judging.services.slots import ASKING, Asking, Slots
from rubricstudio.core.canonical import canonical_hash
from rubricstudio.core.parsing import PARSER, THINKING
from rubricstudio.llm.asking import never
from rubricstudio.llm.client import Answered, JudgeItem, Limiter, OutputMode
from rubricstudio.llm.conversation import RULE
from rubricstudio.llm.leaving import WayOut
from rubricstudio.llm.openai_client import OpenAIModel

MOST_AT_ONCE = 512
PROBE_AGAIN_AFTER = 900.0
MAYBE_UNTOLD = frozenset(
    {
        # by a probe
        *("served_model", "server_version", "chat_template_sha256"),
        # by an earlier release
        *("messages", "thinking", "parser"),
    }
)
"""What a run may have been started without; untold, it may be anything by now."""
UNTOLD = (None, "", UNKNOWN)
OnBegin = Callable[[JudgeItem], None]
TEMPLATES = {OutputMode.EXPLAINED: "judge", OutputMode.LABEL: "judge_label"}


@dataclass(frozen=True)
class JudgeIdentity:
    """All that names a judge, and its hash."""

    whole: dict[str, Any]
    sha256: str


@dataclass(frozen=True)
class Judge:
    """The two roles that fill the cells of a run: the judge of criteria and the global scorer."""

    criteria: RoleClient
    overall: RoleClient

    @property
    def clients(self) -> tuple[RoleClient, RoleClient]:
        return self.criteria, self.overall

    @property
    def at_once(self) -> int:
        """How many questions one worker may have open: no more than the endpoints take at all."""
        endpoints = {one.endpoint.pk: one.endpoint for one in self.clients}
        return min(MOST_AT_ONCE, sum(one.max_in_flight for one in endpoints.values()))

    @asynccontextmanager
    async def opened(self, on_begin: OnBegin) -> AsyncIterator[BothRoles]:
        """The model to ask, with leased slots, for one event loop.

        `on_begin` is called when a question gets its first slot.
        """
        async with AsyncExitStack() as stack:
            slots: dict[int, Slots] = {}
            for one in self.clients:
                if one.endpoint.pk not in slots:
                    lease = await stack.enter_async_context(one.limiter(want=self.at_once))
                    slots[one.endpoint.pk] = Slots(lease, on_begin=on_begin)
            way_out = WayOut()
            overall = self.overall.model(slots[self.overall.endpoint.pk], way_out=way_out)
            await stack.enter_async_context(overall)
            both = BothRoles(self.criteria, overall, slots[self.criteria.endpoint.pk])
            yield await stack.enter_async_context(both)


class BothRoles(OpenAIModel):
    """The judge of criteria, which leaves global scores to the model of their own role."""

    def __init__(self, criteria: RoleClient, overall: OpenAIModel, limiter: Limiter) -> None:
        super().__init__(
            criteria.settings,
            limiter=limiter,
            templates=criteria.templates,
            way_out=overall.way_out,
        )
        self._overall = overall

    async def answer(self, item: JudgeItem, *, stop: Callable[[], bool] = never) -> Answered:
        ASKING.set(Asking(item))
        if item.criterion is None:
            return await self._overall.answer(item, stop=stop)
        return await super().answer(item, stop=stop)


def judge_of(*, project: Project, output_mode: str) -> Judge:
    """The models that a project's judge roles name. Raises Blocked when there is none."""
    criteria = client_for(project, ModelRole.Name.JUDGE)
    settings = replace(criteria.settings, output=OutputMode(output_mode))
    return Judge(
        criteria=replace(criteria, settings=settings),
        overall=client_for(project, ModelRole.Name.GLOBAL),
    )


def identity_of(*, project: Project, output_mode: str) -> JudgeIdentity:
    """The identity of a project's judge as it is now. Raises Blocked when there is none."""
    judge = judge_of(project=project, output_mode=output_mode)
    whole = {
        "output_mode": output_mode,
        "judge": _described(judge.criteria, TEMPLATES[OutputMode(output_mode)]),
        "global": _described(judge.overall, "global"),
        # By which rules texts are shown and replies are read.
        "messages": RULE,
        "thinking": THINKING,
        "parser": PARSER,
    }
    return JudgeIdentity(whole, canonical_hash(whole))


def _described(client: RoleClient, template: str) -> dict[str, Any]:
    return {
        **client.configuration(),
        "template": template,
        "template_sha256": client.templates[template].sha256,
    }


def check_same_judge(run: JudgeRun) -> JudgeIdentity:
    """Raises Blocked when the project's models are not those that the run was started with."""
    now = identity_of(project=run.project, output_mode=run.output_mode)
    changed = _changes(run.judge, now.whole)
    if changed:
        raise Blocked(
            _(
                "The judge is not the one that run %(number)d was started with (%(changed)s): "
                "set it back, or start a new run."
            )
            % {"number": run.number, "changed": ", ".join(changed)},
            cause="judge_changed",
        )
    return now


def _changes(before: Mapping[str, Any], now: Mapping[str, Any], place: str = "") -> list[str]:
    """The names of what differs; what is not there counts as None."""
    changed: list[str] = []
    for name in {**before, **now}:
        value, present = before.get(name), now.get(name)
        if isinstance(value, Mapping) and isinstance(present, Mapping):
            changed += _changes(value, present, f"{place}{name}.")
        elif value != present and not (name in MAYBE_UNTOLD and value in UNTOLD):
            changed.append(f"{place}{name}")
    return changed


_probed: dict[tuple[int, str, str], float] = {}


def usable_judge_for(run: JudgeRun) -> Judge:
    """The judge of a run, each of its models seen to work by this process not long ago.

    A server may be restarted with another configuration at any time, and one that ignores the form
    of an answer gives free text with status 200: so what it obeys is found out, not assumed.
    Raises Blocked when it cannot be used, or is not the one that the run was started with.
    """
    judge = judge_of(project=run.project, output_mode=run.output_mode)
    for client in judge.clients:
        place = _place(client)
        seen = _probed.get(place)
        if seen is None or time.monotonic() - seen > PROBE_AGAIN_AFTER:
            probe_endpoint(client, project=run.project)
            _probed[place] = time.monotonic()
    # Afterwards: the version of the server is part of the identity.
    _pin_what_was_told(run, check_same_judge(run))
    return judge


def _pin_what_was_told(run: JudgeRun, now: JudgeIdentity) -> None:
    """A run that was started before any probe learns who judges it, before its first verdict."""
    if run.judge_sha256 == now.sha256 or run.parent is not None or run.verdicts.exists():
        return
    unchanged = JudgeRun.objects.filter(pk=run.pk, judge_sha256=run.judge_sha256)
    unchanged.update(judge=now.whole, judge_sha256=now.sha256)
    run.refresh_from_db(fields=["judge", "judge_sha256"])


def look_again(judge: Judge) -> None:
    """Something was wrong with its servers: what is found there next may be another one."""
    for client in judge.clients:
        _probed.pop(_place(client), None)


def _place(client: RoleClient) -> tuple[int, str, str]:
    return (client.endpoint.pk, client.endpoint.url, client.role.model)
