"""The freeze checklist: what a bundle should not be frozen with, unless somebody says why.

A check looks at what is about to be frozen and finds nothing, or an open item: how many, which, and
what to do. To add one: write its function and enter it in ``CHECKS``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from django.db.models import F, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.accounts.models import Project
from apps.bundles import selectors
from apps.bundles.services.recipe import ROLES, Recipe
from apps.specs.models import Constraint, Criterion, Spec
from apps.specs.selectors import UNAPPROVED, in_state
from apps.specs.services import in_quarantine
from rubricstudio.core import types as core
from rubricstudio.core.checkers.contradictions import contradictions

EXAMPLES = 5


@dataclass(frozen=True)
class Subject:
    """What is about to be frozen."""

    project: Project
    specs: QuerySet[Spec]
    recipe: Recipe

    @cached_property
    def sources(self) -> list[selectors.Source]:
        """Where its prompts come from."""
        return selectors.sources_of(self.specs)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found: how many, what is wrong, what to do, and the first of them."""

    count: int
    problem: str
    remedy: str
    examples: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """All of it, as people read it."""
        dots = [" …"] if self.count > len(self.examples) == EXAMPLES else []
        named = f" ({', '.join(self.examples)}{''.join(dots)})" if self.examples else ""
        return f"{self.problem}{named}: {self.remedy}."


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the checklist; `find` gives None where all is well."""

    name: str
    title: Promise
    find: Callable[[Subject], Finding | None]


class OpenItem(NamedTuple):
    """A check that found something."""

    check: Check
    finding: Finding


def open_items(subject: Subject) -> list[OpenItem]:
    """What stands against freezing, in the order of the checklist."""
    found = ((check, check.find(subject)) for check in CHECKS)
    return [OpenItem(check, finding) for check, finding in found if finding is not None]


def _unapproved(subject: Subject) -> Finding | None:
    waiting = in_state(subject.specs, UNAPPROVED)
    count = waiting.count()
    if not count:
        return None
    numbers = waiting.values_list("prompt_revision__prompt__number", flat=True)[:EXAMPLES]
    return Finding(
        count,
        ngettext("%d spec is not approved", "%d specs are not approved", count) % count,
        _("a reviewer has to approve what is frozen"),
        tuple(_("prompt %d") % number for number in numbers),
    )


def _refused_constraints(subject: Subject) -> Finding | None:
    """Something that was asked for, or published with a prompt, is not checked by anybody."""
    refused = Constraint.objects.exclude(refused="").filter(spec__in=_pks(subject))
    count = refused.count()
    if not count:
        return None
    types = refused.order_by("type").values_list("type", flat=True).distinct()[:EXAMPLES]
    return Finding(
        count,
        ngettext("%d constraint has no checker", "%d constraints have no checker", count) % count,
        _("take what is not checked out of its spec, or give it a known type"),
        tuple(types),
    )


def _quarantined_checkers(subject: Subject) -> Finding | None:
    """A checker that breaks would break in the bundle too, where nobody keeps it from counting."""
    checkers = selectors.generated_checkers(subject.project)
    codes = dict(
        checkers.values_list("content_sha256", "constraint__spec__prompt_revision__prompt__number")
    )
    held = in_quarantine(subject.project, codes)
    if not held:
        return None
    return Finding(
        len(held),
        ngettext(
            "%d generated checker is in quarantine",
            "%d generated checkers are in quarantine",
            len(held),
        )
        % len(held),
        _("look at it, then let it out, or take it out of its spec"),
        tuple(
            _("prompt %(number)d: %(why)s") % {"number": codes[code], "why": why}
            for code, why in list(held.items())[:EXAMPLES]
        ),
    )


def _contradictory_constraints(subject: Subject) -> Finding | None:
    """Constraints that exclude each other fail every response, whatever it says."""
    found = [
        (number, pairs[0].sentence)
        for number, constraints in _constraints_by_prompt(subject)
        if (pairs := contradictions(constraints))
    ]
    count = len(found)
    if not count:
        return None
    return Finding(
        count,
        ngettext(
            "%d spec has constraints that exclude each other",
            "%d specs have constraints that exclude each other",
            count,
        )
        % count,
        _("take one of each pair out of its spec"),
        tuple(
            _("prompt %(number)d: %(why)s") % {"number": number, "why": why}
            for number, why in found[:EXAMPLES]
        ),
    )


def _constraints_by_prompt(subject: Subject) -> Iterator[tuple[int, list[core.Constraint]]]:
    rows = (
        Constraint.objects.filter(refused="", spec__in=_pks(subject))
        .order_by("spec__prompt_revision__prompt__number", "spec", "position")
        .annotate(number=F("spec__prompt_revision__prompt__number"))
    )
    for _spec, some in groupby(rows.iterator(), key=attrgetter("spec_id")):
        of_one = list(some)
        yield of_one[0].number, [one.as_value() for one in of_one]


def _unknown_licences(subject: Subject) -> Finding | None:
    unknown = [one.file for one in subject.sources if not one.licence]
    count = len(unknown)
    if not count:
        return None
    return Finding(
        count,
        ngettext("%d file of prompts has no licence", "%d files of prompts have no licence", count)
        % count,
        _("import the same file again with its licence, or leave its prompts out"),
        tuple(unknown[:EXAMPLES]),
    )


def _no_judge(subject: Subject) -> Finding | None:
    judged = Criterion.objects.filter(spec__in=_pks(subject)).values("spec").distinct()
    count = 0 if subject.recipe.judge else judged.count()
    if not count:
        return None
    return Finding(
        count,
        ngettext("%d spec has criteria", "%d specs have criteria", count) % count,
        _("no model plays the judge, so set one"),
    )


def _embedded_judge(subject: Subject) -> Finding | None:
    judge = subject.recipe.judge
    embedded = [role for role in ROLES if judge and judge[role]["embedded"]]
    if not embedded:
        return None
    return Finding(
        len(embedded),
        _("The embedded small model plays the judge, and its judgement means nothing"),
        _("set a model that can judge"),
        tuple(sorted({judge[role]["model"] for role in embedded})),
    )


def _pks(subject: Subject) -> QuerySet[Spec, int]:
    return subject.specs.order_by().values_list("pk", flat=True)


CHECKS: tuple[Check, ...] = (
    Check("unapproved_specs", gettext_lazy("Every spec is approved"), _unapproved),
    Check(
        "refused_constraints",
        gettext_lazy("Every constraint has a checker"),
        _refused_constraints,
    ),
    Check(
        "quarantined_checkers",
        gettext_lazy("No generated checker is in quarantine"),
        _quarantined_checkers,
    ),
    Check(
        "contradictory_constraints",
        gettext_lazy("No two constraints exclude each other"),
        _contradictory_constraints,
    ),
    Check(
        "unknown_licences",
        gettext_lazy("The licence of every source is known"),
        _unknown_licences,
    ),
    Check("no_judge", gettext_lazy("A model plays the judge"), _no_judge),
    Check("embedded_judge", gettext_lazy("The judge can judge"), _embedded_judge),
)
