"""Where things are: the addresses of the pages of every step, by what people call them."""

from __future__ import annotations

import re

from django.urls import reverse

# The page that lists each step of the flow, in its order.
STEPS = {
    "prompts": "prompts:list",
    "specs": "specs:list",
    "rollouts": "rollouts:list",
    "runs": "judging:runs",
    "rewards": "rewards:runs",
    "bundles": "bundles:list",
}

# The draft of a constraint is kept under the number of its prompt and its own.
CONSTRAINT_DRAFT = re.compile(r"constraint-(?P<number>\d+)-(?P<constraint>new|\d+)-")


def step(slug: str, key: str) -> str:
    return reverse(STEPS[key], args=[slug])


def prompt(slug: str, number: int) -> str:
    return reverse("prompts:detail", args=[slug, number])


def spec(slug: str, prompt_number: int, version: int | None = None) -> str:
    page = reverse("specs:detail", args=[slug, prompt_number])
    return f"{page}?version={version}" if version else page


def rollout(slug: str, number: int) -> str:
    return reverse("rollouts:detail", args=[slug, number])


def run(slug: str, number: int) -> str:
    return reverse("judging:run", args=[slug, number])


def reward_run(slug: str, number: int) -> str:
    return reverse("rewards:run", args=[slug, number])


def bundle(slug: str, number: int) -> str:
    return reverse("bundles:detail", args=[slug, number])


def form_of_draft(slug: str, key: str) -> str:
    """The form that a draft belongs to, by the draft's key."""
    if match := CONSTRAINT_DRAFT.match(key):
        page = reverse("specs:workbench", args=[slug, int(match["number"])])
        return f"{page}?constraint={match['constraint']}"
    pages = {"settings": "accounts:settings"}
    return reverse(pages.get(key, "studio:overview"), args=[slug])
