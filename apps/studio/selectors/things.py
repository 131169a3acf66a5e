"""What the trail and the jobs point at: a name that people know and the page it is on.

A page of events asks once per type of thing, never once per event.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from apps.accounts.models import ApiToken, Project, User
from apps.activity.models import Job
from apps.bundles.models import Bundle
from apps.judging.models import CheckRun, JudgeRun
from apps.prompts.models import Import, Prompt
from apps.rewards.models import RewardConfig, RewardRun
from apps.rollouts.models import Rollout
from apps.specs.models import Spec
from apps.studio import links, words

Key = tuple[str, str]


@dataclass(frozen=True)
class Thing:
    """A thing by its name; `address` is empty where it has no page of its own."""

    label: str
    address: str = ""


Found = Mapping[int, Thing]


def things(keys: Iterable[Key]) -> dict[Key, Thing]:
    """The things behind pairs of model label and id; what is not there any more is left out."""
    by_type: dict[str, set[int]] = defaultdict(set)
    for label, pk in keys:
        if label in FINDERS and pk.isdigit():
            by_type[label].add(int(pk))
    return {
        (label, str(pk)): thing
        for label, pks in by_type.items()
        for pk, thing in FINDERS[label](pks).items()
    }


def _runs(pks: set[int]) -> Found:
    rows = JudgeRun.objects.filter(pk__in=pks).values_list("pk", "number", "project__slug")
    return {pk: Thing(_("run %d") % number, links.run(slug, number)) for pk, number, slug in rows}


def _check_runs(pks: set[int]) -> Found:
    rows = CheckRun.objects.filter(pk__in=pks).values_list("pk", "number", "project__slug")
    return {
        pk: Thing(_("check run %d") % number, reverse("judging:check_run", args=[slug, number]))
        for pk, number, slug in rows
    }


def _specs(pks: set[int]) -> Found:
    prompt = "prompt_revision__prompt"
    rows = Spec.objects.filter(pk__in=pks).values_list(
        "pk", "version", f"{prompt}__number", f"{prompt}__project__slug"
    )
    return {
        pk: Thing(
            _("spec %(prompt)d v%(version)d") % {"prompt": number, "version": version},
            links.spec(slug, number, version),
        )
        for pk, version, number, slug in rows
    }


def _prompts(pks: set[int]) -> Found:
    rows = Prompt.objects.filter(pk__in=pks).values_list("pk", "number", "project__slug")
    return {
        pk: Thing(_("prompt %d") % number, links.prompt(slug, number)) for pk, number, slug in rows
    }


def _rollouts(pks: set[int]) -> Found:
    rows = Rollout.objects.filter(pk__in=pks).values_list("pk", "number", "project__slug")
    return {
        pk: Thing(_("rollout %d") % number, links.rollout(slug, number))
        for pk, number, slug in rows
    }


def _imports(pks: set[int]) -> Found:
    rows = Import.objects.filter(pk__in=pks).values_list(
        "pk", "filename", "number", "project__slug"
    )
    return {
        pk: Thing(name, reverse("prompts:source", args=[slug, number]))
        for pk, name, number, slug in rows
    }


def _reward_runs(pks: set[int]) -> Found:
    rows = RewardRun.objects.filter(pk__in=pks).values_list("pk", "number", "project__slug")
    return {
        pk: Thing(_("reward run %d") % number, links.reward_run(slug, number))
        for pk, number, slug in rows
    }


def _reward_configs(pks: set[int]) -> Found:
    rows = RewardConfig.objects.filter(pk__in=pks).values_list(
        "pk", "name", "version", "project__slug"
    )
    return {
        pk: Thing(f"{name} v{version}", reverse("rewards:runs", args=[slug]))
        for pk, name, version, slug in rows
    }


def _bundles(pks: set[int]) -> Found:
    rows = Bundle.objects.filter(pk__in=pks).values_list("pk", "number", "project__slug")
    return {
        pk: Thing(_("bundle %d") % number, links.bundle(slug, number)) for pk, number, slug in rows
    }


def _jobs(pks: set[int]) -> Found:
    rows = Job.objects.filter(pk__in=pks).values_list("pk", "kind")
    jobs = reverse("studio:jobs")
    return {
        pk: Thing(_("job %(pk)d, %(kind)s") % {"pk": pk, "kind": words.job_kind(kind)}, jobs)
        for pk, kind in rows
    }


def _users(pks: set[int]) -> Found:
    return {user.pk: Thing(str(user)) for user in User.objects.filter(pk__in=pks)}


def _projects(pks: set[int]) -> Found:
    return {
        one.pk: Thing(one.name, reverse("studio:overview", args=[one.slug]))
        for one in Project.objects.filter(pk__in=pks).only("name", "slug")
    }


def _tokens(pks: set[int]) -> Found:
    return {
        pk: Thing(name, reverse("accounts:tokens", args=[slug]))
        for pk, name, slug in ApiToken.objects.filter(pk__in=pks).values_list(
            "pk", "name", "project__slug"
        )
    }


FINDERS: dict[str, Callable[[set[int]], Found]] = {
    "judging.judgerun": _runs,
    "judging.checkrun": _check_runs,
    "specs.spec": _specs,
    "prompts.prompt": _prompts,
    "prompts.import": _imports,
    "rollouts.rollout": _rollouts,
    "rewards.rewardrun": _reward_runs,
    "rewards.rewardconfig": _reward_configs,
    "bundles.bundle": _bundles,
    "activity.job": _jobs,
    "accounts.user": _users,
    "accounts.project": _projects,
    "accounts.apitoken": _tokens,
}
