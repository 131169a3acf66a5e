"""``python -m tests.apps.calls.asking_process NAME COUNT``: a worker that asks for task labels.

It waits for a line on standard input, so that several begin together.
"""

import asyncio
import sys

import django


async def _ask_all(client, name, count):
    from rubricstudio.core.types import Message, Role

    prompts = [[Message(Role.USER, f"{name}: question {number}")] for number in range(count)]
    async with client.limiter(want=count) as limiter, client.model(limiter) as model:
        return await asyncio.gather(*(model.label(prompt) for prompt in prompts))


def main(name, count):
    django.setup()
    from apps.calls import services

    client = services.client_for(None, "label")
    print("ready", flush=True)
    sys.stdin.readline()
    answers = asyncio.run(_ask_all(client, name, count))
    assert all(answer.value is not None for answer in answers)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
