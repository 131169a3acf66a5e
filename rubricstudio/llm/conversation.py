"""Typed messages -> the text of a data block, by a rule with a version.

``messages/1``: a single user message is its text. Anything longer is its messages in order, each
under a heading ``[turn 2: assistant]``; a line of the text that looks like such a heading gets a
backslash before it, so that nobody can write a turn for somebody else. Reasoning is left out, and
so is the thinking that an assistant's text opens with (``core.parsing.THINKING``).
"""

import re
from collections.abc import Sequence
from typing import Final

from rubricstudio.core.parsing import strip_leading_thinking
from rubricstudio.core.types import Message, Role, Scope, ScopeKind

RULE: Final = "messages/1"
HEADING: Final = re.compile(r"^(\s*\\*\[turn \d)", re.MULTILINE)


def prompt_text(prompt: Sequence[Message]) -> str:
    """A prompt as the text of its data block."""
    if len(prompt) == 1 and prompt[0].role == Role.USER:
        return prompt[0].content
    return conversation_text(prompt)


def conversation_text(messages: Sequence[Message]) -> str:
    """Several messages as one text, each under its heading."""
    shown = [one for one in messages if one.role != Role.REASONING]
    return "\n\n".join(
        f"[turn {place}: {_speaker(one)}]\n{HEADING.sub(_escaped, _content(one))}"
        for place, one in enumerate(shown, 1)
    )


def response_text(
    prompt: Sequence[Message], response: Sequence[Message], scope: Scope
) -> str | None:
    """The part of a response that a criterion is about; ``None`` where there is no such turn.

    Assistant turns are counted from 1 over prompt and response together.
    """
    if scope.kind == ScopeKind.CONVERSATION:
        return conversation_text(response)
    if scope.turn is None:
        turns = [one for one in response if one.role == Role.ASSISTANT]
        return _content(turns[-1]) if turns else None
    turns = [one for one in (*prompt, *response) if one.role == Role.ASSISTANT]
    return _content(turns[scope.turn - 1]) if scope.turn <= len(turns) else None


def last_user_text(prompt: Sequence[Message]) -> str:
    """What a checker takes for the prompt: its last user turn, else all of it."""
    turns = [one.content for one in prompt if one.role == Role.USER]
    return turns[-1] if turns else prompt_text(prompt)


def _content(message: Message) -> str:
    if message.role == Role.ASSISTANT:
        return strip_leading_thinking(message.content)
    return message.content


def _speaker(message: Message) -> str:
    name = " ".join(message.name.split())
    return f"{message.role.replace('_', ' ')} {name}".strip()


def _escaped(match: re.Match[str]) -> str:
    return "\\" + match[0]
