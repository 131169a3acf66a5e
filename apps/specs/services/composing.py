"""From what was published and what the model said to a draft."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.utils.translation import gettext as _

from apps.activity.errors import BadInput
from apps.specs.services.coding import Coded
from apps.specs.services.drafts import Draft, DraftConstraint, Origin
from apps.specs.services.given import GivenParts
from apps.specs.services.writers import Answers, Wanted
from rubricstudio.core.checkers.extract import compare
from rubricstudio.core.checkers.generated import GENERATED, wanted_constraint
from rubricstudio.core.checkers.registry import REGISTRY_VERSION, refusal
from rubricstudio.core.parsing import PARSER, THINKING
from rubricstudio.core.parsing.labels import GENERAL
from rubricstudio.core.types import STUDIO, Constraint, Criterion
from rubricstudio.llm.conversation import RULE

AUTO: Final = "auto"
GIVEN: Final = "given"
RULES: Final = "rules"
MODEL: Final = "model"
METHODS: Final = (AUTO, RULES, GIVEN, MODEL)
"""Where the parts of a spec come from.

auto: each part as it was published with the prompt, else from the model. rules: as auto, without a
model. given: what was published and nothing else. model: both parts from the model, whatever was
published (paper 000, which uses the prompt alone). But for given, rules read the constraints that
were not published as well, before the model and beside it.
"""


@dataclass(frozen=True, slots=True)
class Method:
    """A checked choice of method."""

    name: str

    @classmethod
    def of(cls, name: str, *, use_model: bool) -> Method:
        """Raises `BadInput` for an unknown name, or one that needs a model it may not use."""
        if name not in METHODS:
            raise BadInput(
                _("There is no method %(name)r: use one of %(known)s.")
                % {"name": name, "known": ", ".join(METHODS)}
            )
        if name == MODEL and not use_model:
            raise BadInput(_("The method model needs a model: leave out --no-model."))
        return cls(RULES if name == AUTO and not use_model else name)

    @property
    def needs_model(self) -> bool:
        return self.name in (AUTO, MODEL)

    def reads(self, given: GivenParts) -> bool:
        """Whether rules read constraints out of a prompt with these published parts."""
        return self.name == MODEL or (self.name != GIVEN and not given.constraints)

    def wanted(self, given: GivenParts, *, code: bool = False) -> Wanted:
        """What the model has to write for a prompt with these published parts.

        `code` lets it write checkers for what was published and no constraint type answers.
        """
        if self.name == AUTO:
            wanted = Wanted(rubric=not given.criteria, constraints=not given.constraints)
            return replace(wanted, code=without_checker(given)) if code else wanted
        return Wanted(rubric=self.needs_model, constraints=self.needs_model)


def compose(
    given: GivenParts,
    wanted: Wanted,
    answers: Answers,
    *,
    asked: dict[str, Any],
    rules: Sequence[Constraint] | None = None,
) -> Draft:
    """The draft of a spec whose answers are all usable.

    `asked` is what `Desk.keep` told; `rules` is what rules read in the prompt, None where they
    were not asked and what was published counts.
    """
    criteria, constraints = _criteria(given, answers), _constraints(given, answers, rules)
    written = [RULES] * (rules is not None) + [MODEL] * wanted.constraints
    sources = {
        "criteria": MODEL if wanted.rubric else GIVEN,
        "constraints": "+".join(written) or GIVEN,
    }
    used = {one.origin for one in constraints} | ({sources["criteria"]} if criteria else set())
    label = answers.label.value if answers.label is not None else None
    return Draft(
        criteria=criteria,
        constraints=constraints,
        dialect=_dialect(constraints),
        label=label.label if label is not None else GENERAL,
        method="+".join(sorted(used)),
        provenance={
            "from": sources,
            "asked": asked,
            "versions": {
                "registry": REGISTRY_VERSION,
                "messages": RULE,
                "thinking": THINKING,
                "parser": PARSER,
            },
        },
    )


def _dialect(constraints: tuple[DraftConstraint, ...]) -> str:
    """The dialect of all constraints; that of the studio where there is none, or several."""
    dialects = {one.value.dialect for one in constraints}
    return dialects.pop() if len(dialects) == 1 else STUDIO


def _criteria(given: GivenParts, answers: Answers) -> tuple[Criterion, ...]:
    written = answers.rubric.value if answers.rubric is not None else None
    return written.criteria if written is not None else given.criteria


def _constraints(
    given: GivenParts, answers: Answers, rules: Sequence[Constraint] | None
) -> tuple[DraftConstraint, ...]:
    """Where rules and model disagree both are kept, for a reviewer to choose."""
    found = answers.constraints.value if answers.constraints is not None else None
    if rules is None and found is None:
        return _with_code(given.constraints, answers.coded, origin=Origin.GIVEN)
    both = compare(rules or (), found.constraints if found is not None else ())
    return _with_code(both.rules, (), origin=Origin.RULES) + _with_code(
        both.model, answers.coded, origin=Origin.MODEL
    )


def _with_code(
    constraints: Sequence[Constraint], coded: Sequence[Coded], *, origin: str
) -> tuple[DraftConstraint, ...]:
    """The drafts, with generated checkers in the places of what waited for one."""
    written = {_waiting(one.wanted): one for one in coded}
    return tuple(
        written[_waiting(one)].as_draft(origin=origin)
        if _waiting(one) in written
        else DraftConstraint.of(one, origin=origin)
        for one in constraints
    )


def _waiting(constraint: Constraint) -> str:
    """What a constraint and the requirement that was made of it have in common."""
    return wanted_of(constraint).content_hash()


def wanted_of(constraint: Constraint) -> Constraint:
    """A constraint as a requirement in words that code is asked for."""
    if constraint.type == GENERATED:
        return constraint
    stated = ", ".join(f"{name} = {value}" for name, value in constraint.params.items())
    return wanted_constraint(
        f"{constraint.type}: {stated}" if stated else constraint.type,
        evidence=constraint.evidence,
        asked=constraint,
        dialect=constraint.dialect,
    )


def without_checker(given: GivenParts) -> tuple[Constraint, ...]:
    """What was published and no constraint type answers, as requirements that wait for code."""
    return tuple(wanted_of(one) for one in given.constraints if refusal(one) is not None)
