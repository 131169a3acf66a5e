"""A general meta-rubric with that of a domain laid over it."""

from collections.abc import Iterable

from rubricstudio.core.errors import MetaRubricError
from rubricstudio.core.metarubrics.types import (
    FailureMode,
    Keyed,
    MetaRubric,
    MetaScope,
    by_key,
)


def compose(general: MetaRubric, domain: MetaRubric | None) -> MetaRubric:
    """What holds for prompts of the domain; without a domain, the general one itself.

    An entry of the domain takes the place of the general one with its key, others are added behind.
    What the domain removes is left out; a critical failure mode can be reworded, and never removed
    or made less than critical. Raises :class:`MetaRubricError` for such a domain, and for one that
    removes what is not there.
    """
    if general.scope is not MetaScope.GENERAL:
        raise MetaRubricError(f"{general.name} is no general meta-rubric")
    if domain is None:
        return general
    if domain.scope is not MetaScope.DOMAIN:
        raise MetaRubricError(f"{domain.name} is not the meta-rubric of a domain")
    _check_removed(general, domain)
    _check_critical(general, domain)
    removed = frozenset(domain.removes)
    return MetaRubric(
        name=f"{general.name} + {domain.name}",
        scope=MetaScope.DOMAIN,
        domain=domain.domain,
        summary=domain.summary or general.summary,
        principles=_laid_over(general.principles, domain.principles, removed),
        criteria=_laid_over(general.criteria, domain.criteria, removed),
        failure_modes=_laid_over(general.failure_modes, domain.failure_modes, removed),
        weighting=domain.weighting or general.weighting,
        instantiation=(*general.instantiation, *domain.instantiation),
    )


def _laid_over(
    general: Iterable[Keyed], domain: Iterable[Keyed], removed: frozenset[str]
) -> tuple[Keyed, ...]:
    merged = by_key(general) | by_key(domain)
    return tuple(entry for key, entry in merged.items() if key not in removed)


def _check_removed(general: MetaRubric, domain: MetaRubric) -> None:
    known = {entry.key: entry for entry in general.entries()}
    for key in domain.removes:
        entry = known.get(key)
        if entry is None:
            raise MetaRubricError(
                f"{domain.name} removes {key}, which {general.name} does not have"
            )
        if isinstance(entry, FailureMode) and entry.critical:
            raise MetaRubricError(
                f"{domain.name} removes {key}, a critical failure mode; those always hold"
            )


def _check_critical(general: MetaRubric, domain: MetaRubric) -> None:
    """The kind of an entry stays, and what is critical stays critical."""
    known = {entry.key: entry for entry in general.entries()}
    for entry in domain.entries():
        before = known.get(entry.key)
        if before is None:
            continue
        if type(before) is not type(entry):
            raise MetaRubricError(
                f"{domain.name} uses the key {entry.key} for something else than {general.name}"
            )
        if isinstance(before, FailureMode) and before.critical and not _is_critical(entry):
            raise MetaRubricError(
                f"{domain.name} makes {entry.key} less than critical; critical failure modes "
                "always hold"
            )


def _is_critical(entry: object) -> bool:
    return isinstance(entry, FailureMode) and entry.critical
