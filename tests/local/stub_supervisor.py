"""A supervisor over parts that are given as data; the tests of supervision kill it."""

import contextlib
import json
import sys
import time
from pathlib import Path

from rubricstudio.local.supervisor import Part, supervised


def say(sentence: str) -> None:
    print(sentence, flush=True)


if __name__ == "__main__":
    data, described = Path(sys.argv[1]), json.loads(sys.argv[2])
    with contextlib.suppress(KeyboardInterrupt), supervised(data, say=say) as supervisor:
        for name, command in described.items():
            supervisor.start(Part(name, tuple(command)))
        say("up")
        while True:
            supervisor.look()
            time.sleep(0.05)
