"""A version says what the rules are: readings that change need a new one.

If a hash here differs, verdicts read from now on are not comparable with those read before. Raise
the version (for THINKING the REVISION of the checkers too), then write the new hash beside it.
"""

import json

from rubricstudio.core.canonical import canonical_hash
from rubricstudio.core.checkers.segmentation import REVISION, DocumentView
from rubricstudio.core.parsing import (
    PARSER,
    THINKING,
    Reply,
    parse_choice,
    parse_global,
    parse_judgement,
    strip_leading_thinking,
    strip_thinking,
)
from rubricstudio.core.types import Criterion, Scale
from tests.core.parsing.injections import PLANTED

TERNARY = Criterion("c1", "It names the Moon.", 3)
LEVELS = Criterion("c1", "How clear it is.", scale=Scale.LEVELS, levels=5)
REFERENCE = "c1:0a1b2c3d4e5f"
VERDICT = {"evidence": "the Moon", "id": REFERENCE, "reason": "named", "verdict": "no"}
TEXTS = (
    *PLANTED,
    json.dumps(VERDICT),
    json.dumps({**VERDICT, "verdict": "Part "}),
    json.dumps({**VERDICT, "verdict": 3}),
    json.dumps({**VERDICT, "verdict": "mostly"}),
    json.dumps({**VERDICT, "evidence": ""}),
    f"Here it is:\n```json\n{json.dumps(VERDICT)}\n```",
    f"<think>yes?</think>\n{json.dumps(VERDICT)}",
    f"{json.dumps(VERDICT)} but really yes",
    "yes",
    " Yes.",
    "4",
    "Good. [[7]]",
    "Good. [[ 6.5 ]].\n",
    "[[11]]",
    "[[7]] out of 10",
    "",
)
ROLLOUTS = (
    "Hi.",
    "  <think>So.</think>\n\nHi.",
    "So it is.\n</think>\n\nHi.",
    "<think>never closed",
    "Use <think> and </think> as tags.",
    "Hi.</think>",
    "< Thinking >So.< / thinking >Hi. </think> Ho.",
    "[THINK]So.[/THINK]Hi.",
    "◁think▷So.◁/think▷Hi.",
    "<|channel|>analysis<|message|>So.<|channel|>final<|message|>Hi.",
    "<|begin_of_thought|>So.<|end_of_thought|>Hi.",
)


def told(parsed):
    """What counts of a reading; the words of its sentence may be bettered at any time."""
    value = parsed.value
    said = None if value is None else [getattr(value, "answer", ""), value.score]
    return [said, parsed.reason, list(parsed.flags)]


def test_the_parsers_read_what_their_version_stands_for():
    replies = [
        *(Reply(text) for text in TEXTS),
        Reply("yes", finish_reason="length"),
        Reply("yes", finish_reason="content_filter"),
        Reply(None, reasoning="Hm."),
        Reply(None, refusal="No."),
    ]
    read = [
        [
            told(parse_judgement(reply, criterion=criterion, reference=REFERENCE)),
            told(parse_choice(reply, criterion=criterion)),
            told(parse_global(reply)),
        ]
        for reply in replies
        for criterion in (TERNARY, LEVELS)
    ]

    assert (PARSER, canonical_hash(read)) == (
        "parser/1",
        "1755f5992b18af6e43e78f58f4564e14640f3f2762515459553f07efeb61a56b",
    )


def test_thinking_is_cut_as_its_version_says():
    cut = [
        *([text, strip_leading_thinking(text)] for text in ROLLOUTS),
        *([text, strip_thinking(text)] for text in (*ROLLOUTS, *PLANTED)),
    ]

    assert (THINKING, REVISION, canonical_hash(cut)) == (
        "thinking/1",
        1,
        "ece1cec944d4642faae6d5ba9ccb03e497bf22e99b95442aa21b6bf51bcf975e",
    )


def test_judges_and_checkers_see_the_same_answer():
    shown = [strip_leading_thinking(text).strip() for text in ROLLOUTS]

    assert shown == [DocumentView(text).text.strip() for text in ROLLOUTS]
