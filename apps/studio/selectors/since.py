"""What changed in a project since its last bundle was frozen."""

from __future__ import annotations

from dataclasses import dataclass

from apps.accounts.models import Project
from apps.bundles.models import Bundle, BundleSpec
from apps.bundles.selectors import bundles_of, specs_to_freeze
from apps.judging.models import Verdict
from apps.prompts.models import Prompt
from apps.specs.selectors import stale_criteria


@dataclass(frozen=True)
class Since:
    """Against the bundle: specs with another newest version, specs of prompts that it lacks, its
    specs that would not be frozen again, and verdicts of criteria whose text has changed."""

    bundle: Bundle
    changed: int
    new: int
    retired: int
    stale: int


def last_bundle(project: Project) -> Bundle | None:
    """The newest bundle that was not retracted."""
    return bundles_of(project).filter(retracted_at__isnull=True).first()


def changed_since(project: Project, bundle: Bundle) -> Since:
    """Compares every prompt, so a page asks for it apart from the rest."""
    frozen = BundleSpec.objects.filter(bundle=bundle)
    prompts = Prompt.objects.filter(
        pk__in=frozen.values("spec__prompt_revision__prompt"), project=project
    )
    now = specs_to_freeze(project).order_by()
    of_bundle = now.filter(prompt_revision__prompt__in=prompts)
    kept = of_bundle.filter(pk__in=frozen.values("spec")).count()
    there = of_bundle.count()
    return Since(
        bundle=bundle,
        changed=there - kept,
        new=now.count() - there,
        retired=frozen.count() - there,
        stale=Verdict.objects.filter(criterion__in=stale_criteria(project)).count(),
    )
