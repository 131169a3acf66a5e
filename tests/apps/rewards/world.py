"""Specs with canonical lines, and judge and check runs that are over, for tests of later steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone

from apps.accounts import services as accounts
from apps.accounts.models import Project, User
from apps.judging.models import CheckOutcome, CheckRun, JudgeRun, Verdict
from apps.prompts.models import Prompt
from apps.rollouts.models import Rollout
from apps.specs.models import Checker, Spec
from apps.specs.models import Criterion as CriterionRow
from apps.specs.services.drafts import Draft, draft_constraints
from apps.specs.services.saving import save_draft
from rubricstudio.core.types import Constraint, Criterion, Scale
from tests import factories

SCORES = {"yes": 1.0, "part": 0.5, "no": 0.0}
WEIGHTS = {"cause": 5, "twice": 3, "plain": 2, "short": 1}
"""Criteria of the worked example A (methods.md 1.5)."""


def criteria(weights: Mapping[str, float] = WEIGHTS, *, scale: Scale = Scale.TERNARY) -> tuple:
    return tuple(
        Criterion(key, f"The answer is {key}.", weight, scale=scale)
        for key, weight in weights.items()
    )


def words_at_most(*numbers: int) -> tuple[Constraint, ...]:
    return tuple(Constraint("word_count", {"op": "le", "value": number}) for number in numbers)


def save_spec(
    prompt: Prompt,
    criteria: Sequence[Criterion] = (),
    constraints: Sequence[Constraint] = (),
    *,
    author: User | None = None,
) -> Spec:
    """The next version of a prompt's spec, a draft."""
    revision = prompt.current
    assert revision is not None
    newest = Spec.objects.filter(prompt_revision=revision).order_by("-version").first()
    draft = Draft(
        criteria=tuple(criteria),
        constraints=draft_constraints(constraints, origin="given"),
        method="given",
    )
    return save_draft(revision, draft=draft, parent=newest, author=author)


def judged(project: Project, **values: Any) -> JudgeRun:
    """A judge run that is complete; `say` gives it verdicts."""
    return factories.make_run(project, **{"state": "done", "finished_at": timezone.now(), **values})


def say(
    run: JudgeRun,
    rollout: Rollout,
    answers: Mapping[str, str],
    *,
    overall: float | None = None,
    sample: int = 0,
) -> None:
    """What the judge said under the newest spec: yes, part, no, or the reason why it said nothing.

    `overall` is the raw global score.
    """
    newest = Spec.objects.filter(prompt_revision=rollout.prompt_revision).order_by("-version")
    rows = dict(CriterionRow.objects.filter(spec=newest[0]).values_list("key", "pk"))
    place = {"run": run, "rollout": rollout, "sample": sample}
    for key, answer in answers.items():
        Verdict.objects.create(criterion_id=rows[key], **place, **_said(answer))
    if overall is not None:
        Verdict.objects.create(**place, state="scored", answer=str(overall), score=overall)


def _said(answer: str) -> dict[str, Any]:
    if answer in SCORES:
        return {"state": "scored", "answer": answer, "score": SCORES[answer]}
    state = "failed" if answer in ("timeout", "transport") else "unscored"
    return {"state": state, "reason": answer}


def checked(project: Project, **values: Any) -> CheckRun:
    """A check run that is complete; `outcomes` gives it outcomes."""
    number = accounts.allocate_numbers(project=project, kind="check_run")[0]
    defaults = {"registry_version": "studio/1.1", "finished_at": timezone.now()}
    return CheckRun.objects.create(project=project, number=number, **{**defaults, **values})


def outcomes(run: CheckRun, rollout: Rollout, *results: str) -> None:
    """What the checkers of the newest spec said, in their order."""
    newest = Spec.objects.filter(prompt_revision=rollout.prompt_revision).order_by("-version")
    checkers = Checker.objects.filter(constraint__spec=newest[0]).order_by("constraint__position")
    for checker, result in zip(checkers, results, strict=True):
        cause = "timeout" if result == "unavailable" else "ok"
        CheckOutcome.objects.create(
            run=run, rollout=rollout, checker=checker, result=result, cause=cause
        )
