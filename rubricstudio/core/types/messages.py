"""Typed messages: what a prompt and a rollout are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rubricstudio.core.canonical import canonical_hash
from rubricstudio.core.errors import MessageError

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
"""A value that JSON can hold."""


class Role(StrEnum):
    """Who speaks, or what a step of a conversation is."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    REASONING = "reasoning"


TOOL_ROLES: Final = frozenset({Role.TOOL_CALL, Role.TOOL_RESULT})


@dataclass(frozen=True, slots=True)
class Message:
    """One step of a conversation.

    ``content`` is its text; for a tool call it is the arguments as the model wrote them. ``name``
    is the tool's name and ``call_id`` ties a result to its call; both are empty otherwise.
    The canonical form is a mapping of role and content, with name and call_id where they are set.
    """

    role: Role
    content: str
    name: str = ""
    call_id: str = ""

    def __post_init__(self) -> None:
        for field in ("content", "name", "call_id"):
            _check_text(getattr(self, field), field)
        if self.role == Role.TOOL_CALL and not self.name:
            raise MessageError("a tool call has no name; say which tool was called")
        if self.role not in TOOL_ROLES and (self.name or self.call_id):
            raise MessageError(f"a {self.role} message has no tool name and no call id")

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> "Message":
        """Read the canonical form; keys it does not know are left to the caller.

        Raises :class:`MessageError` with a sentence for an unknown role or content that is no text.
        """
        if not isinstance(data, Mapping):
            raise MessageError(f"a message is a mapping with role and content, not {data!r:.60}")
        return cls(
            role=_role(data.get("role")),
            content=_check_text(data.get("content"), "content"),
            name=_check_text(data.get("name", ""), "name"),
            call_id=_check_text(data.get("call_id", ""), "call_id"),
        )

    def to_dict(self) -> dict[str, str]:
        """The canonical form, which ``from_dict`` reads back to an equal message."""
        named = {"name": self.name, "call_id": self.call_id}
        return {
            "role": self.role.value,
            "content": self.content,
            **{key: value for key, value in named.items() if value},
        }


def messages_hash(messages: Sequence[Message]) -> str:
    """The sha256 of the canonical form of a conversation; a prompt without an id is known by it."""
    return canonical_hash([message.to_dict() for message in messages])


def _role(value: object) -> Role:
    try:
        return Role(str(value))
    except ValueError:
        known = ", ".join(Role)
        raise MessageError(f"a message has the role {value!r:.60}; known are {known}") from None


def _check_text(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise MessageError(f"the {field} of a message is {value!r:.60}; it has to be text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise MessageError(
            f"the {field} of a message holds half of a surrogate pair at character {error.start}; "
            "repair or drop that character"
        ) from error
    return value
