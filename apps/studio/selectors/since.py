"""What changed in a project since its last bundle was frozen."""

from __future__ import annotations

from dataclasses import dataclass

from apps.accounts.models import Project
from apps.bundles import selectors as bundles
from apps.bundles.models import Bundle
from apps.judging.selectors import stale_verdicts


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
    """The newest bundle that was not retracted, without its manifest."""
    kept = Bundle.objects.filter(project=project, retracted_at__isnull=True)
    return kept.defer("manifest").order_by("-pk").first()


def changed_since(project: Project, bundle: Bundle) -> Since:
    """Compares every prompt, so a page asks for it apart from the rest."""
    stale = stale_verdicts(project).count()
    return Since(bundle, *bundles.changed_since(project, bundle), stale=stale)
