"""autorubric's judge on the requests that `benchmarks.judging` sends, against the same server.

    python benchmarks/_judging_peer.py BASE_URL [--rollouts 200] [--at-once 64]

Runs in an environment of its own in which autorubric is installed (`benchmarks.judging --peer
PYTHON` starts it), so that none of its packages come near ours. Its last line is one of JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time

# Its client library asks the network for a list of prices unless it is told not to.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
from autorubric import LLMConfig, Rubric
from autorubric.graders import CriterionGrader

# It prints a notice for every call of a model whose price it does not know.
litellm.suppress_debug_info = True

CRITERIA = 8
PARAGRAPH = "The sea is salty because rivers carry dissolved minerals from the rocks into it. "


async def grade(base_url: str, rollouts: int, at_once: int) -> tuple[int, int]:
    """How many verdicts were asked for and how many came."""
    config = LLMConfig(
        model="openai/judge",
        api_base=base_url,
        api_key="none",
        max_parallel_requests=at_once,
        temperature=0,
        max_tokens=256,
    )
    grader = CriterionGrader(judge_model_config=config)
    rubric = Rubric.from_dict(
        [{"weight": 1, "requirement": f"Names reason number {n}."} for n in range(CRITERIA)]
    )
    reports = await asyncio.gather(
        *(
            rubric.grade(
                to_grade=PARAGRAPH * 10 + f"({number})",
                grader=grader,
                query="Why is the sea salty?",
            )
            for number in range(rollouts)
        )
    )
    graded = sum(len(report.report or ()) for report in reports if report.score is not None)
    return rollouts * CRITERIA, graded


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base_url")
    parser.add_argument("--rollouts", type=int, default=200)
    parser.add_argument("--at-once", type=int, default=64)
    options = parser.parse_args()
    # The first use imports much. Its limit is the same, for the smallest limit ever given holds.
    asyncio.run(grade(options.base_url, 1, options.at_once))
    started, cpu = time.monotonic(), time.process_time()
    asked, graded = asyncio.run(grade(options.base_url, options.rollouts, options.at_once))
    took, spent = time.monotonic() - started, time.process_time() - cpu
    figures = {
        "verdicts": graded,
        "lost": asked - graded,
        "verdicts_per_s": round(graded / took, 3),
        "cpu_s_per_1000": round(spent / asked * 1000, 3),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
