"""Where things are: the addresses of the pages of every step, by what people call them."""

from __future__ import annotations

from django.urls import NoReverseMatch, reverse


def address(name: str, *arguments: object) -> str:
    """The address of a page; empty while nobody has built it."""
    try:
        return reverse(name, args=arguments)
    except NoReverseMatch:
        return ""


# The page that lists each step of the flow, in its order.
STEPS = {
    "prompts": "prompts:list",
    "specs": "specs:list",
    "rollouts": "rollouts:list",
    "runs": "judging:runs",
    "rewards": "rewards:runs",
    "bundles": "bundles:list",
}


def step(slug: str, key: str) -> str:
    return reverse(STEPS[key], args=[slug])


def prompt(slug: str, number: int) -> str:
    return address("prompts:detail", slug, number)


def spec(slug: str, prompt_number: int, version: int | None = None) -> str:
    page = address("specs:detail", slug, prompt_number)
    return f"{page}?version={version}" if page and version else page


def rollout(slug: str, number: int) -> str:
    return address("rollouts:detail", slug, number)


def run(slug: str, number: int) -> str:
    return address("judging:run", slug, number) or address("judging:runs", slug)


def reward_run(slug: str, number: int) -> str:
    return address("rewards:run", slug, number) or address("rewards:runs", slug)


def bundle(slug: str, number: int) -> str:
    return address("bundles:detail", slug, number) or address("bundles:list", slug)


def form_of_draft(slug: str, key: str) -> str:
    """The form that a draft belongs to, by the draft's key."""
    if key.startswith("spec-"):
        return address("specs:edit", slug, key.removeprefix("spec-")) or spec(
            slug, int(key.removeprefix("spec-"))
        )
    return address("accounts:settings", slug)
