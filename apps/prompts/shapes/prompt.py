"""One row as a prompt: its task, its key, and everything that came beside it."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from apps.prompts.reading import Row, RowError, kind_of
from apps.prompts.shapes.columns import Fields, Mapped, Parts, as_key, structured
from apps.prompts.shapes.conversation import LAST, LISTS, TASK, read_conversation
from apps.prompts.shapes.given import Given, read_given
from apps.prompts.shapes.grounding import PassageValue, read_passages, read_references
from apps.prompts.shapes.kinds import Shape
from rubricstudio.core.types import Message

TAG_CHARACTERS = 60
DOMAIN_CHARACTERS = 150
SPLITS = {
    "train": "train",
    "training": "train",
    "validation": "validation",
    "valid": "validation",
    "val": "validation",
    "dev": "validation",
    "test": "test",
}
TASK_PARTS = {
    "task": (*TASK, *LAST),
    "text": tuple(name for name in (*TASK, *LAST) if name not in (*LISTS, "turns")),
    "messages": (*LISTS, "prompt"),
    "turns": ("turns",),
    "input": ("input",),
    "system": ("system", "system_prompt", "system_message"),
    "id": ("prompt_id", "id", "key", "uid", "question_id", "qid", "index", "idx"),
}
EXTRA_PARTS = {
    "tools": ("tools", "functions"),
    "passages": ("passages", "documents", "docs", "contexts", "context"),
    "references": (
        *("references", "reference", "reference_answer", "reference_answers", "answer"),
        *("gold_answer", "ideal_completions_data", "ideal_completion"),
    ),
    "instruction_id_list": ("instruction_id_list",),
    "kwargs": ("kwargs",),
    "rubrics": ("rubrics",),
    "checklist": ("checklist",),
    "domain": ("domain", "domain1"),
    "tags": ("tags", "example_tags", "domain2"),
    "split": ("split",),
}
PARTS = Parts(TASK_PARTS | EXTRA_PARTS)
GIVING = {Shape.IFEVAL, Shape.HEALTHBENCH, Shape.WRITINGBENCH}
"""The shapes that are refused where the row does not give what they are named for."""

MAPPABLE = {"prompt": "task", "id": "id", "system": "system", "passages": "passages"} | {
    part: part for part in ("references", "domain", "tags", "split")
}
"""The parts that a person may name a column for, under the words used for it."""


class Extras(NamedTuple):
    """What may come beside the task. `domain`, `tags` and `split` also stand among the columns."""

    tools: list[Any] = []
    given: Given = {}
    passages: list[PassageValue] = []
    references: list[str] = []
    domain: str = ""
    tags: list[str] = []
    split: str = "train"


NO_EXTRAS = Extras()


class PromptValue(NamedTuple):
    """A prompt as a file gives it; `asked` is its last user turn."""

    external_id: str | None
    messages: list[Message]
    asked: str
    extras: Extras
    columns: dict[str, Any]


def read_prompt(row: Row, *, shape: Shape = Shape.AUTO, mapped: Mapped = ()) -> PromptValue:
    """The prompt of a row. Raises RowError: what is wrong with it and what to do."""
    fields = Fields(row.values, PARTS, mapped=mapped, table=row.table)
    conversation = read_conversation(fields, shape)
    id_field = fields.peek("id")
    if id_field is not None:
        fields.use(id_field)
    extras = NO_EXTRAS
    if shape in GIVING or fields.has_any(EXTRA_PARTS.keys()):
        extras = _extras(fields, shape)
    if conversation.answer and not extras.references:
        extras = extras._replace(references=[conversation.answer])
    external_id = as_key(id_field) if id_field else None
    messages, asked = conversation.messages, conversation.asked
    return PromptValue(external_id, messages, asked, extras, fields.rest())


def _extras(fields: Fields, shape: Shape) -> Extras:
    return Extras(
        tools=_tools(fields),
        given=read_given(fields, shape) if shape in GIVING or shape is Shape.AUTO else {},
        passages=read_passages(fields),
        references=read_references(fields),
        domain=_domain(fields),
        tags=_tags(fields),
        split=_split(fields),
    )


def _tools(fields: Fields) -> list[Any]:
    field = fields.peek("tools")
    if field is None:
        return []
    tools = structured(field.value)
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise RowError(
            _("%(name)s is %(kind)s, not a list of definitions.")
            % {"name": field.name, "kind": kind_of(tools)}
        )
    fields.use(field)
    return tools


def _domain(fields: Fields) -> str:
    field = fields.peek("domain")
    if field is None or not isinstance(field.value, str):
        return ""
    name = field.value.strip()
    return name if len(name) <= DOMAIN_CHARACTERS and name.isprintable() else ""


def _tags(fields: Fields) -> list[str]:
    field = fields.peek("tags")
    value = structured(field.value) if field else []
    items = re.split("[,;]", value) if isinstance(value, str) else value
    if not isinstance(items, list):
        return []
    tags = [item.strip() for item in items if isinstance(item, str)]
    known = dict.fromkeys(tag for tag in tags if 0 < len(tag) <= TAG_CHARACTERS)
    return [tag for tag in known if tag.isprintable()]


def _split(fields: Fields) -> str:
    field = fields.peek("split")
    value = field.value if field else None
    return SPLITS.get(value.strip().lower(), "train") if isinstance(value, str) else "train"
