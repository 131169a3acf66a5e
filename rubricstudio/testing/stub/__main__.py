"""``python -m rubricstudio.testing.stub``: run the stub until SIGTERM or Ctrl-C.

The first line on standard output is a JSON object with the port, written when it listens.
"""

import argparse
import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from rubricstudio.llm.client import Backend
from rubricstudio.testing.stub.behaviour import Behaviour, Fault
from rubricstudio.testing.stub.http import serve
from rubricstudio.testing.stub.requestlog import RequestLog
from rubricstudio.testing.stub.server import StubServer


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    behaviour = Behaviour(
        backend=options.backend,
        model=options.model,
        api_key=options.api_key,
        latency=options.latency,
        faults=dict(_share(one) for one in options.fault),
        sticky=options.sticky,
        seed=options.seed,
        noise=options.noise,
        thinking_tokens=options.thinking_tokens,
        max_running=options.max_running,
        max_queued=options.max_queued,
    )
    log = RequestLog(options.log)
    try:
        asyncio.run(_run(StubServer(behaviour, log), options.host, options.port))
    except OSError as error:
        print(f"cannot listen on {options.host}:{options.port}: {error}", file=sys.stderr)
        return 1
    finally:
        log.close()
    return 0


async def _run(stub: StubServer, host: str, port: int) -> None:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    server = await serve(stub.handle, host=host, port=port)
    print(json.dumps({"port": server.sockets[0].getsockname()[1]}), flush=True)
    await ended.wait()
    server.close()
    # What is in flight is cancelled, so that its line is written before the log closes.
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def _share(told: str) -> tuple[str, float]:
    kind, _, share = told.partition("=")
    return Fault(kind), float(share)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m rubricstudio.testing.stub", description=__doc__
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000, help="0 takes a free one")
    parser.add_argument("--log", type=Path, help="append a line of JSON per chat request")
    parser.add_argument("--backend", choices=list(Backend), default=Backend.VLLM)
    parser.add_argument("--model", default="judge")
    parser.add_argument("--api-key", default="")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds per answer")
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="KIND=SHARE",
        help=f"may be repeated; kinds: {', '.join(Fault)}",
    )
    parser.add_argument("--sticky", action="store_true", help="faults meet the same requests again")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--noise", type=float, default=0.0, help="share that depends on the seed")
    parser.add_argument("--thinking-tokens", type=int, default=0)
    parser.add_argument("--max-running", type=int, default=0)
    parser.add_argument("--max-queued", type=int, default=1_000_000)
    return parser


if __name__ == "__main__":
    sys.exit(main())
