"""Templates -> messages, in one pass, with data kept apart from what we say.

A template is one text with two parts, ``=== system ===`` and ``=== user ===``. In it ``{NAME}``
stands for text of ours and ``{data:NAME}`` for a fenced block of data::

    <<DATA:3f9c1a77e0b2:response>>
    ...
    <<END:3f9c1a77e0b2>>

The nonce is unknown to whoever wrote the data, and is taken out of the data should it occur there,
so no text can close its own fence. All slots are replaced in a single pass: what a value contains
is never looked at again, and braces that name no slot stay as they are.

A request is the messages and a *body*, the JSON text of everything else. Template text, slots,
nonce and body make the same bytes for ever.
"""

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any, Final, NamedTuple

from rubricstudio.core.canonical import sha256_hex
from rubricstudio.llm.errors import TemplateError

SLOT: Final = re.compile(r"\{(data:)?([a-z][a-z0-9_]*)\}")
NONCE: Final = re.compile(r"[0-9a-f]{8,64}")
NONCE_LENGTH: Final = 12
SECTIONS: Final = re.compile(r"\A=== system ===\n(.*?)\n=== user ===\n(.*)\Z", re.DOTALL)
ID_SLOT: Final = "id"
ID_IN_BODY: Final = json.dumps("{id}")
"""In a body this value stands for the slot ``id``, so that one body serves a whole run."""


ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class ChatMessage(NamedTuple):
    """One message of a request; ``role`` is system or user."""

    role: str
    content: str


@dataclass(frozen=True)
class Template:
    """The text of a request to a model, known by its hash."""

    name: str
    text: str

    @cached_property
    def sha256(self) -> str:
        return sha256_hex(self.text.encode())

    @cached_property
    def slots(self) -> frozenset[str]:
        """The names of the slots that a rendering has to fill, every one and no other."""
        return frozenset(name for _, name in SLOT.findall(self.text))

    @cached_property
    def sections(self) -> tuple[str, str]:
        """The system and the user part; raises :class:`TemplateError` without their marks."""
        match = SECTIONS.match(self.text)
        if match is None:
            raise TemplateError(
                f"the template {self.name} needs a line '=== system ===' at its very start and a "
                "line '=== user ===' further down"
            )
        return match[1].strip(), match[2].strip()


def render(template: Template, *, slots: Mapping[str, str], nonce: str) -> list[ChatMessage]:
    """The messages of a template with its slots filled.

    Raises :class:`TemplateError` for a slot without a value, a value without a slot, or a nonce
    that is not 8 to 64 hexadecimal digits.
    """
    if not NONCE.fullmatch(nonce):
        raise TemplateError(f"the nonce {nonce!r:.70} is not 8 to 64 hexadecimal digits")
    missing, unknown = template.slots - set(slots), set(slots) - template.slots
    if missing or unknown:
        what = (
            f"has no value for {sorted(missing)}" if missing else f"has no slot {sorted(unknown)}"
        )
        raise TemplateError(f"the template {template.name} {what}")

    def fill(match: re.Match[str]) -> str:
        fenced, name = match.groups()
        return fence(name, slots[name], nonce) if fenced else slots[name]

    system, user = (SLOT.sub(fill, part) for part in template.sections)
    return [ChatMessage("system", system), ChatMessage("user", user)]


def fence(name: str, data: str, nonce: str) -> str:
    """Data between two lines that only we can write."""
    while nonce in data:
        data = data.replace(nonce, "")
    return f"<<DATA:{nonce}:{name}>>\n{data}\n<<END:{nonce}>>"


def request_bytes(template: Template, *, slots: Mapping[str, str], nonce: str, body: str) -> bytes:
    """The JSON of a request, byte for byte as sent.

    ``body`` is a JSON object as text, without messages. Half surrogate pairs, which UTF-8 cannot
    hold, become question marks.
    """
    messages = [message._asdict() for message in render(template, slots=slots, nonce=nonce)]
    if ID_SLOT in slots:
        body = body.replace(ID_IN_BODY, compact_json(slots[ID_SLOT]))
    text = compact_json(messages)
    return f'{{"messages":{text},{body[1:]}'.encode("utf-8", "replace")


def compact_json(value: Any) -> str:
    """JSON without white space, keys in the order given."""
    return ENCODER.encode(value)


def fresh_nonce() -> str:
    """A nonce nobody can foresee."""
    return secrets.token_hex(NONCE_LENGTH // 2)


def derived_nonce(secret: bytes, *parts: str) -> str:
    """The same nonce for the same parts under one secret; unforeseeable without the secret.

    Calls that share their first tokens need one nonce, or no prefix cache can help them.
    """
    # Each part with its length, so that no two lists of parts look the same.
    told = "".join(f"{len(part)}:{part}" for part in parts).encode("utf-8", "replace")
    return hmac.new(secret, told, hashlib.sha256).hexdigest()[:NONCE_LENGTH]


@lru_cache(maxsize=1)
def shipped_templates() -> Mapping[str, Template]:
    """The templates of this package by name; the plug-ins of the rubric are ``rubric_<label>``."""
    folder = resources.files("rubricstudio.llm") / "templates"
    files = sorted((one for one in folder.iterdir() if one.name.endswith(".txt")), key=str)
    names = [one.name.removesuffix(".txt") for one in files]
    return {
        name: Template(name, one.read_text(encoding="utf-8"))
        for name, one in zip(names, files, strict=True)
    }
