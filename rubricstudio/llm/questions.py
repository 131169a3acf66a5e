"""Each act as a question: its template and slots, the shape of the answer, and how it is read.

The id that an answer has to echo is the act or the criterion's key, with the nonce behind it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Generic, TypeVar

from rubricstudio.core import parsing
from rubricstudio.core.checkers.generated import GENERATED
from rubricstudio.core.parsing import (
    CodeDraft,
    ExtractedConstraints,
    GlobalScore,
    Judgement,
    Parsed,
    Reply,
    RubricDraft,
    TaskLabel,
    answers_of,
)
from rubricstudio.core.types import Criterion, Message, Scale, Scope
from rubricstudio.llm import schemas
from rubricstudio.llm.client import OutputMode
from rubricstudio.llm.conversation import last_user_text, prompt_text, response_text
from rubricstudio.llm.render import Template
from rubricstudio.llm.shapes import EndsInScore, JsonOf, OneOf, Shape

T = TypeVar("T")
Templates = Mapping[str, Template]
Slots = Mapping[str, str]

FEWEST_CRITERIA: Final = 6
UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.-]")
LONGEST_KEY: Final = 40

LABELS: Final[Mapping[str, str]] = {
    "instruction_following": "many explicit requirements on content or form",
    "creative_writing": "fiction, poetry, scripts and other invention",
    "professional_writing": "letters, reports, proposals, posts with a reader and a purpose",
    "decision_support": "advice, plans and trade-offs for somebody who has to decide",
    "qa_explanation": "a question of fact, or something to be explained",
    "summarise_rewrite": "a given text to shorten, translate, edit or restyle",
    "coding": "code to write, change, explain or debug",
    "math_reasoning": "a calculation, a proof, a logic puzzle",
    "dialogue_roleplay": "a persona or a scene to be played in conversation",
    "safety_sensitive": "a request that touches harm to somebody",
    "general": "anything else, several of these, or unclear",
}
"""The task labels; only ``general`` and three families are named by paper 000."""

CONSTRAINT_HELP: Final = """\
contain, not_contain: {"phrases": ["..."]} - all of them, or none of them, occur
begin_with, end_with: {"text": "..."} - the first or last words of the response
word_count, char_count, sentence_count, paragraph_count, line_count: {"op": OP, "value": 5} with \
OP one of eq (exactly), lt, le, gt, ge, approx (about), or {"op": "between", "value": 5, "high": 7}
nth_paragraph_begin_with, nth_paragraph_contain, nth_paragraph_end_with: {"n": 2, "text": "..."} - \
counted from 1, or from the end with -1"""

GENERATED_HELP: Final = """\
generated: {"requirement": "..."} - what none of the types above expresses and a short program can \
still decide exactly, in one sentence of your own"""

ANSWER_MEANINGS: Final[Mapping[Scale, str]] = {
    Scale.TERNARY: (
        '"yes" if it is fully there, "part" if it is there in part or with a flaw that matters, '
        '"no" if it is not'
    ),
    Scale.BINARY: '"yes" if it is there, "no" if it is not',
    Scale.POINTS: '"yes" if it is there, "no" if it is not',
}


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """One thing to ask: how it is put, and how an answer is read.

    ``weight`` is the criterion's, which decides about thinking; ``None`` where there is none.
    """

    template: Template
    slots: Slots
    nonce: str
    shape: Shape
    parse: Callable[[Reply], Parsed[T]]
    weight: float | None = None
    sample: int = 0


def ask_label(
    templates: Templates, prompt: Sequence[Message], *, nonce: str
) -> Question[TaskLabel]:
    reference = f"label:{nonce}"
    listed = "\n".join(f"{name}: {meaning}" for name, meaning in LABELS.items())
    return Question(
        template=templates["label"],
        slots={"prompt": prompt_text(prompt), "labels": listed, "id": reference},
        nonce=nonce,
        shape=JsonOf("task_label", schemas.label(list(LABELS))),
        parse=lambda reply: parsing.parse_label(reply, labels=LABELS, reference=reference),
    )


def ask_rubric(
    templates: Templates, prompt: Sequence[Message], *, label: str, nonce: str, most: int
) -> Question[RubricDraft]:
    reference = f"rubric:{nonce}"
    plugin = templates.get(f"rubric_{label}", templates["rubric_general"])
    slots = {
        "prompt": prompt_text(prompt),
        "task_specific_module": plugin.text.strip(),
        "fewest": str(min(FEWEST_CRITERIA, most)),
        "most": str(most),
        "id": reference,
    }
    return Question(
        template=templates["rubric"],
        slots=slots,
        nonce=nonce,
        shape=JsonOf("rubric", schemas.rubric(most)),
        parse=lambda reply: parsing.parse_rubric(reply, reference=reference, at_most=most),
    )


def ask_constraints(
    templates: Templates, prompt: Sequence[Message], *, nonce: str, generated: bool = False
) -> Question[ExtractedConstraints]:
    """About the last user turn, which is what a checker takes for the prompt.

    ``generated`` asks for requirements as well that none of the types expresses.
    """
    reference = f"constraints:{nonce}"
    text = last_user_text(prompt)
    types = [*schemas.ASKED_TYPES, *([GENERATED] if generated else [])]
    told = [CONSTRAINT_HELP, *([GENERATED_HELP] if generated else [])]
    return Question(
        template=templates["constraints"],
        slots={"prompt": text, "types": "\n".join(told), "id": reference},
        nonce=nonce,
        shape=JsonOf("constraints", schemas.constraints(generated=generated)),
        parse=lambda reply: parsing.parse_constraints(
            reply, prompt=text, types=types, reference=reference
        ),
    )


def ask_code(
    templates: Templates,
    prompt: Sequence[Message],
    *,
    requirement: str,
    attempt: str,
    modules: Sequence[str],
    nonce: str,
) -> Question[CodeDraft]:
    """``attempt`` is an earlier source with what was wrong with it; empty the first time."""
    reference = f"code:{nonce}"
    slots = {
        "prompt": last_user_text(prompt),
        "requirement": requirement,
        "modules": ", ".join(modules),
        "attempt": attempt or "(none)",
        "id": reference,
    }
    return Question(
        template=templates["code"],
        slots=slots,
        nonce=nonce,
        shape=JsonOf("code", schemas.code()),
        parse=lambda reply: parsing.parse_code(reply, reference=reference),
    )


def ask_verdict(
    templates: Templates,
    prompt: Sequence[Message],
    response: Sequence[Message],
    *,
    criterion: Criterion,
    output: OutputMode,
    nonce: str,
    sample: int = 0,
) -> Question[Judgement] | None:
    """``None`` where the response has no turn that the criterion is about."""
    judged = response_text(prompt, response, criterion.scope)
    if judged is None:
        return None
    slots = {
        "prompt": prompt_text(prompt),
        "response": judged,
        "criterion": criterion_text(criterion),
        "answers": _meaning_of_answers(criterion),
    }
    form = _as_label if output is OutputMode.LABEL else _as_explained
    return form(templates, criterion, slots=slots, nonce=nonce, sample=sample)


def _as_label(
    templates: Templates, criterion: Criterion, *, slots: Slots, nonce: str, sample: int
) -> Question[Judgement]:
    return Question(
        template=templates["judge_label"],
        slots=slots,
        nonce=nonce,
        shape=OneOf(answers_of(criterion)),
        parse=lambda reply: parsing.parse_choice(reply, criterion=criterion),
        weight=criterion.weight,
        sample=sample,
    )


def _as_explained(
    templates: Templates, criterion: Criterion, *, slots: Slots, nonce: str, sample: int
) -> Question[Judgement]:
    reference = f"{UNSAFE.sub('-', criterion.key)[:LONGEST_KEY]}:{nonce}"
    return Question(
        template=templates["judge"],
        slots={**slots, "id": reference},
        nonce=nonce,
        shape=_verdict_shape(answers_of(criterion)),
        parse=lambda reply: parsing.parse_judgement(
            reply, criterion=criterion, reference=reference
        ),
        weight=criterion.weight,
        sample=sample,
    )


@lru_cache(maxsize=64)
def _verdict_shape(answers: tuple[str, ...]) -> JsonOf:
    return JsonOf("verdict", schemas.verdict(answers))


def ask_global(
    templates: Templates,
    prompt: Sequence[Message],
    response: Sequence[Message],
    *,
    nonce: str,
    sample: int = 0,
) -> Question[GlobalScore] | None:
    """The holistic score of the last turn; the rubric is not shown (paper 000, section 3.3)."""
    judged = response_text(prompt, response, Scope())
    if judged is None:
        return None
    return Question(
        template=templates["global"],
        slots={"prompt": prompt_text(prompt), "response": judged},
        nonce=nonce,
        shape=EndsInScore(),
        parse=parsing.parse_global,
        sample=sample,
    )


def criterion_text(criterion: Criterion) -> str:
    """A criterion and, where it has them, what each answer needs."""
    lines = [criterion.text]
    lines += [f"{answer}: {text}" for answer, text in criterion.anchors.items()]
    return "\n".join(lines)


def _meaning_of_answers(criterion: Criterion) -> str:
    if criterion.scale == Scale.LEVELS:
        return f"a level from 1 (not there at all) to {criterion.levels} (fully there)"
    return ANSWER_MEANINGS[criterion.scale]
