"""The rows of prompts.jsonl: one row serves every trainer.

Each trainer finds its columns under the names it knows, and every row has the same keys and
types. A row refers to its spec by id; the rubric itself is not in it, since whatever is in a row
may end up in a chat template.
"""

from collections.abc import Sequence
from typing import Final

from rubricstudio.core.canonical import canonical_json
from rubricstudio.core.types import Json, Message, Role

SOURCE: Final = "rubricstudio"

_CHAT_ROLES: Final = {
    Role.SYSTEM: "system",
    Role.USER: "user",
    Role.ASSISTANT: "assistant",
    Role.TOOL_CALL: "assistant",
    Role.TOOL_RESULT: "tool",
}


def chat_messages(messages: Sequence[Message]) -> list[dict[str, Json]]:
    """Typed messages as the chat list that trainers take: role and content, no reasoning."""
    return [
        {"role": _CHAT_ROLES[message.role], "content": message.content}
        for message in messages
        if message.role in _CHAT_ROLES
    ]


def prompt_row(
    messages: Sequence[Message], *, index: int, prompt_id: str, spec_id: str, split: str
) -> dict[str, Json]:
    """The row of one prompt, with the columns of every trainer."""
    chat = chat_messages(messages)
    ids: dict[str, Json] = {"prompt_id": prompt_id, "spec_id": spec_id}
    about: dict[str, Json] = {"index": index, "split": split, **ids}
    return {
        "prompt": chat,
        "messages": chat,
        "prompt_id": prompt_id,
        "spec_id": spec_id,
        # verl, SkyRL, rLLM
        "data_source": SOURCE,
        "reward_model": {"style": "rubric", "ground_truth": spec_id},
        "extra_info": about,
        "env_class": SOURCE,
        "reward_spec": {"method": "rubric", "ground_truth": spec_id},
        # slime and OpenRLHF send a single text
        "label": canonical_json(ids).decode(),
        "metadata": about,
        # open-instruct
        "ground_truth": spec_id,
        "dataset": SOURCE,
        # NeMo-Gym
        "responses_create_params": {"input": chat},
    }
