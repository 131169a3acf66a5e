"""What the jump palette finds: things by kind and number, projects by name, prompts by words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import Model
from django.urls import reverse
from django.utils.translation import gettext as _

from apps.accounts.models import Project, User
from apps.accounts.selectors import projects_seen_by
from apps.bundles.models import Bundle
from apps.judging.models import JudgeRun
from apps.prompts.models import Prompt
from apps.prompts.selectors import list_prompts, search
from apps.rewards.models import RewardRun
from apps.rollouts.models import Rollout
from apps.specs.models import Spec
from apps.studio import links

A_KIND = 8
# Prompts are searched by a scan, so only the newest are; the list of prompts searches all.
NEWEST_PROMPTS = 20_000
SHORTEST_WORDS = 2
NUMBERED = re.compile(
    r"^(?P<kind>\D*?)\s*#?(?P<number>\d{1,9})(?:\s*v\s*(?P<version>\d{1,6}))?$", re.ASCII
)


@dataclass(frozen=True)
class Found:
    """A place to go: its name, what else tells it from others, and its address."""

    label: str
    address: str
    hint: str = ""


def numbered(text: str, projects: Iterable[Project]) -> list[Found]:
    """The things that "run 3", "spec 12 v2" or "12" may mean in these projects."""
    match = NUMBERED.match(text.strip())
    if match is None:
        return []
    kind = match["kind"].strip().casefold()
    version = int(match["version"]) if match["version"] else None
    wanted = Wanted(tuple(projects), int(match["number"]), version)
    found: list[Found] = []
    for names, finder in _finders():
        if not kind or any(name.startswith(kind) for name in names):
            found += finder(wanted)
    return found


def projects_named(text: str, user: User) -> list[Found]:
    """The projects that the person may see whose name or short name holds the text."""
    seen = projects_seen_by(user).filter(archived_at__isnull=True)
    both = seen.filter(name__icontains=text) | seen.filter(slug__icontains=text)
    return [
        Found(one.name, reverse("studio:overview", args=[one.slug]), _("project"))
        for one in both.only("name", "slug")[:A_KIND]
    ]


def prompts_with(text: str, project: Project) -> list[Found]:
    """The newest prompts of a project whose key or beginning holds the words."""
    if len(text) < SHORTEST_WORDS:
        return []
    newest = list_prompts(project).order_by("-number")
    last = newest.values_list("number", flat=True).first() or 0
    some = search(newest.filter(number__gt=last - NEWEST_PROMPTS), text)[:A_KIND]
    found = [
        Found(
            one.current.excerpt if one.current else one.key,
            links.prompt(project.slug, one.number),
            _("prompt %d") % one.number,
        )
        for one in some
    ]
    return [*found, _all_prompts(text, project)] if found else []


def _all_prompts(text: str, project: Project) -> Found:
    page = reverse("prompts:list", args=[project.slug])
    query = urlencode({"q": text})
    return Found(_("Search all prompts for “%s”") % text, f"{page}?{query}", _("prompts"))


@dataclass(frozen=True)
class Wanted:
    """A number in one of some projects, and of a spec perhaps its version."""

    projects: tuple[Project, ...]
    number: int
    version: int | None


Finder = Callable[[Wanted], list[Found]]


def _finders() -> list[tuple[tuple[str, ...], Finder]]:
    """By the words that people type for a kind: in English and in the language of the page."""
    return [
        (
            ("prompt", _("prompt")),
            _finder(Prompt, _("prompt %d"), links.prompt, hint="current__excerpt"),
        ),
        (("spec", _("spec")), _specs),
        (
            ("rollout", _("rollout")),
            _finder(Rollout, _("rollout %d"), links.rollout, hint="excerpt"),
        ),
        (("run", "judge run", _("run")), _finder(JudgeRun, _("run %d"), links.run)),
        (
            ("reward run", _("reward run")),
            _finder(RewardRun, _("reward run %d"), links.reward_run),
        ),
        (("bundle", _("bundle")), _finder(Bundle, _("bundle %d"), links.bundle)),
    ]


def _finder(
    model: type[Model], label: str, link: Callable[[str, int], str], *, hint: str = "project__name"
) -> Finder:
    """Finds the things of a model that have a number in their project."""

    def find(wanted: Wanted) -> list[Found]:
        rows = model._default_manager.filter(project__in=wanted.projects, number=wanted.number)
        return [
            Found(label % wanted.number, link(slug, wanted.number), told or "")
            for slug, told in rows.values_list("project__slug", hint)[:A_KIND]
        ]

    return find


def _specs(wanted: Wanted) -> list[Found]:
    prompt = "prompt_revision__current_of"
    specs = Spec.objects.filter(
        **{f"{prompt}__project__in": wanted.projects, f"{prompt}__number": wanted.number}
    )
    if wanted.version:
        specs = specs.filter(version=wanted.version)
    of_project = f"{prompt}__project_id"
    rows = specs.order_by(of_project, "-version").distinct(of_project)
    return [
        Found(
            _("spec %(prompt)d v%(version)d") % {"prompt": wanted.number, "version": version},
            links.spec(slug, wanted.number, wanted.version),
            name,
        )
        for version, name, slug in rows.values_list(
            "version", f"{prompt}__project__name", f"{prompt}__project__slug"
        )[:A_KIND]
    ]
