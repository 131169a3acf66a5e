"""Why a reward is what it is: in the drawer when htmx asks, else as a page."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.rewards import selectors, services, wording
from apps.rewards.models import Reward
from apps.rewards.showing import formulas, reward_line, shown_sections


@access.project(access.READERS)
@require_safe
@vary_on_headers("HX-Request")
def why(request: HttpRequest, slug: str, number: int, rollout: int) -> HttpResponse:
    """The formula with its numbers, each item with its evidence, and where all of it is from."""
    project = cast(ProjectRequest, request).project
    run = get_object_or_404(selectors.reward_runs_of(project), number=number)
    rewards = Reward.objects.filter(run=run).select_related(
        "rollout__policy", "rollout__group", "rollout__prompt_revision__prompt"
    )
    reward = get_object_or_404(
        rewards.defer("rollout__messages", "rollout__columns", *_texts("rollout__prompt_revision")),
        rollout__number=rollout,
    )
    run.project, reward.run = project, run
    part = request.headers.get("HX-Request")
    return render(request, "rewards/_why.html" if part else "rewards/why.html", _context(reward))


def _texts(revision: str) -> list[str]:
    return [f"{revision}__{name}" for name in ("messages", "tools", "columns", "given")]


def _context(reward: Reward) -> dict[str, Any]:
    explained = services.explain_reward(reward)
    run = reward.run
    return {
        "reward": reward,
        "run": run,
        "line": reward_line(reward),
        "explained": explained,
        "sections": shown_sections(explained),
        "formulas": formulas(explained),
        "reason": wording.reason_sentence(reward.reason) if reward.reason else "",
        "flags": [wording.flag_meaning(flag) for flag in reward.flags],
        "back": reverse("rewards:run", args=[run.project.slug, run.number]),
    }
