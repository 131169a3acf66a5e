"""Reads for the workbench of a spec."""

from __future__ import annotations

from apps.rollouts.models import Rollout
from apps.specs.models import Checker, Constraint, Spec


def is_outdated(spec: Spec) -> bool:
    """Whether a later version for the same text of the prompt was saved."""
    versions = Spec.objects.filter(prompt_revision_id=spec.prompt_revision_id)
    return versions.filter(version__gt=spec.version).exists()


def checker_of(constraint: Constraint) -> Checker | None:
    """What answers a constraint; None where nothing does."""
    return Checker.objects.filter(constraint=constraint).first()


def response_of_rollout(spec: Spec, number: int) -> str | None:
    """The last assistant turn of a rollout of the spec's prompt; None where there is no such."""
    rollouts = Rollout.objects.filter(
        project=spec.prompt_revision.prompt.project_id,
        number=number,
        prompt_revision=spec.prompt_revision_id,
    )
    messages = rollouts.values_list("messages", flat=True).first()
    if messages is None:
        return None
    said = [str(one["content"]) for one in messages if one["role"] == "assistant"]
    return said[-1] if said else ""
