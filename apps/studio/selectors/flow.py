"""The flow of a project as its overview shows it: how much, how far, and what blocks each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Count, Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import Project
from apps.judging.models import JudgeRun
from apps.judging.selectors import finished_cells, runs_of
from apps.prompts.models import Import
from apps.rewards.selectors import reward_runs_of
from apps.rollouts.models import Policy
from apps.studio import links
from apps.studio.selectors.since import last_bundle
from apps.studio.selectors.steps import NOT_STARTED, WAITS, Step
from apps.studio.words import percent, thousands

SPEC_STATES = """
SELECT state, count(*) FROM (
    SELECT DISTINCT ON (spec.prompt_revision_id) spec.state
    FROM prompts_prompt AS prompt
    JOIN specs_spec AS spec ON spec.prompt_revision_id = prompt.current_id
    WHERE prompt.project_id = %s AND prompt.archived_at IS NULL
    ORDER BY spec.prompt_revision_id DESC, spec.version DESC
) AS newest GROUP BY state
"""


@dataclass(frozen=True)
class Cell:
    """A cell of the flow strip."""

    step: Step
    figure: str
    unit: str
    share: float
    why: str
    href: str
    blocks: bool = False

    @property
    def label(self) -> str:
        return self.step.label

    @property
    def state(self) -> str:
        return self.step.state

    @property
    def state_label(self) -> str:
        return self.step.state_label


def flow_of(project: Project, steps: list[Step]) -> list[Cell]:
    """A cell a step, in eight queries; at most one of them is the step that blocks."""
    tellers = {
        "prompts": _prompts,
        "specs": _specs,
        "rollouts": _rollouts,
        "runs": _runs,
        "rewards": _rewards,
        "bundles": _bundles,
    }
    blocking = blocking_step(steps)
    by_key = {step.key: step for step in steps}
    return [
        Cell(
            step=step,
            href=links.step(project.slug, step.key),
            blocks=step is blocking,
            **tellers[step.key](project, by_key),
        )
        for step in steps
    ]


def blocking_step(steps: list[Step]) -> Step | None:
    """The furthest step that waits for a person, else the first that nobody has begun."""
    waiting = [step for step in steps if step.state == WAITS]
    if waiting:
        return waiting[-1]
    return next((step for step in steps if step.state == NOT_STARTED), None)


class Act(NamedTuple):
    """What a person can do next, and where."""

    label: str
    address: str


def next_act(project: Project, steps: list[Step]) -> Act | None:
    """How to go on with the step that blocks; None where nothing does."""
    step = blocking_step(steps)
    if step is None:
        return None
    labels = {
        "prompts": (_("Import prompts"), "prompts:import"),
        "specs": (_("Make specs"), "specs:make"),
        "rollouts": (_("Import rollouts"), "rollouts:import"),
        "runs": (_("Start a run"), "judging:start"),
        "rewards": (_("Compute rewards"), "rewards:compute"),
        "bundles": (_("Freeze a bundle"), "bundles:freeze"),
    }
    label, name = labels[step.key]
    if step.waits:
        return _waiting_act(project, step)
    return Act(label, reverse(name, args=[project.slug]))


def _waiting_act(project: Project, step: Step) -> Act:
    page = links.step(project.slug, step.key)
    if step.key == "specs":
        return Act(_("Review specs"), f"{page}?state=in_review")
    return Act(_("Open the paused runs"), f"{page}?state=paused")


Told = dict[str, Any]


def _told(figure: str, unit: str, share: float, why: str) -> Told:
    return {"figure": figure, "unit": unit, "share": share, "why": why or _("Nothing blocks")}


def _prompts(project: Project, steps: dict[str, Step]) -> Told:
    count = steps["prompts"].count
    if not count:
        return _told("0", _("prompts"), 0, _("Import a file to begin"))
    files = Import.objects.filter(project=project, kind=Import.Kind.PROMPTS).aggregate(
        all=Count("pk"), bare=Count("pk", filter=Q(licence=""))
    )
    unit = ngettext("in %(n)d file", "in %(n)d files", files["all"]) % {"n": files["all"]}
    bare = files["bare"]
    why = ngettext("%(n)d file has no licence", "%(n)d files have no licence", bare) % {"n": bare}
    return _told(thousands(count), unit, 1, why if bare else "")


def _specs(project: Project, steps: dict[str, Step]) -> Told:
    prompts, with_spec = steps["prompts"].count, steps["specs"].count
    if not with_spec:
        return _not_begun(_("specs"), _("Make them from the prompts"), possible=prompts)
    with connection.cursor() as cursor:
        cursor.execute(SPEC_STATES, [project.pk])
        states = dict(cursor.fetchall())
    approved = states.get("candidate", 0) + states.get("frozen", 0)
    total = sum(states.values())
    unit = _("approved of %(total)s") % {"total": thousands(total)}
    why = _why_specs(states.get("in_review", 0), states.get("draft", 0), max(prompts - total, 0))
    return _told(thousands(approved), unit, approved / total if total else 0, why)


def _why_specs(in_review: int, drafts: int, bare: int) -> str:
    parts = [
        (in_review, _("%(n)s in review")),
        (drafts, ngettext("%(n)s draft", "%(n)s drafts", drafts)),
        (bare, ngettext("%(n)s prompt without one", "%(n)s prompts without one", bare)),
    ]
    return ", ".join(part % {"n": thousands(count)} for count, part in parts if count)


def _rollouts(project: Project, steps: dict[str, Step]) -> Told:
    count = steps["rollouts"].count
    if not count:
        prompts = steps["prompts"].count
        return _not_begun(_("rollouts"), _("Import the responses of a policy"), possible=prompts)
    policies = Policy.objects.filter(project=project).count()
    unit = ngettext("of %(n)d policy", "of %(n)d policies", policies) % {"n": policies}
    return _told(thousands(count), unit, 1, "")


def _runs(project: Project, steps: dict[str, Step]) -> Told:
    run = runs_of(project).defer("judge").first()
    if run is None:
        both = steps["rollouts"].count and steps["specs"].count
        return _not_begun(_("runs"), _("Let a judge read the rollouts"), possible=both)
    share = finished_cells(run) / run.expected if run.expected else 1.0
    unit = _("of %(n)s cells of run %(run)d") % {
        "n": thousands(run.expected),
        "run": run.number,
    }
    return _told(percent(share), unit, share, _why_run(run))


def _why_run(run: JudgeRun) -> str:
    if run.state == JudgeRun.State.PAUSED:
        return _("Run %(number)d is paused: %(reason)s") % {
            "number": run.number,
            "reason": run.block_reason or _("nobody said why"),
        }
    if run.state in (JudgeRun.State.QUEUED, JudgeRun.State.RUNNING):
        return _("Run %(number)d is under way") % {"number": run.number}
    return ""


def _rewards(project: Project, steps: dict[str, Step]) -> Told:
    run = reward_runs_of(project).first()
    if run is None:
        both = steps["rollouts"].count and steps["specs"].count
        return _not_begun(_("reward runs"), _("Compute them from the verdicts"), possible=both)
    rewarded, unscored = run.summary.get("rewards", 0), run.summary.get("unscored", 0)
    total = rewarded + unscored
    mean = run.summary.get("mean")
    figure = "–" if mean is None else f"{mean:.3f}"
    unit = _("mean, n = %(n)s, run %(run)d") % {"n": thousands(rewarded), "run": run.number}
    why = _("%(n)s rollouts have none") % {"n": thousands(unscored)} if unscored else ""
    return _told(figure, unit, rewarded / total if total else 0, why)


def _bundles(project: Project, steps: dict[str, Step]) -> Told:
    count = steps["bundles"].count
    newest = last_bundle(project) if count else None
    if newest is None:
        rewards = steps["rewards"].count
        return _not_begun(_("bundles"), _("Freeze what was approved"), possible=rewards)
    unit = _("frozen; the last is %(name)s v%(version)d") % {
        "name": newest.name,
        "version": newest.version,
    }
    return _told(thousands(count), unit, 1, "")


def _not_begun(unit: str, act: str, *, possible: int) -> Told:
    return _told("0", unit, 0, act if possible else _("Waits for the steps before it"))
