"""The last user turn inside a text that went through a chat template.

Trainers log what the model was given: the prompt wrapped in the marks of its chat template, or,
where special tokens were dropped, in the bare names of the roles.
"""

from __future__ import annotations

import re

WRAPPED = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"<\|im_start\|>user\n(.*?)<\|im_end\|>",
        r"<\|start_header_id\|>user<\|end_header_id\|>\n\n(.*?)<\|eot_id\|>",
        r"<start_of_turn>user\n(.*?)<end_of_turn>",
        r"\[INST\](.*?)\[/INST\]",
        r"<\|user\|>\n?(.*?)(?:<\|end\|>|<\|assistant\|>|</s>)",
    )
)
BARE_START = re.compile(r"(?:^|\n)user\n+")
BARE_END = re.compile(r"\n+assistant\n*(?:<think>\n*)?$")


def unwrapped(text: str) -> str | None:
    """What the user said last; None for a text without the marks of a template."""
    for pattern in WRAPPED:
        turns = pattern.findall(text)
        if turns:
            return str(turns[-1])
    end = BARE_END.search(text)
    starts = list(BARE_START.finditer(text)) if end else []
    return text[starts[-1].end() : end.start()] if end and starts else None
