"""autorubric's weighted score of so many responses under so many criteria, in CPU milliseconds.

    python benchmarks/_fusing_peer.py RESPONSES CRITERIA

Runs in an environment of its own in which autorubric is installed; `benchmarks.rewards --peer
PYTHON` starts it.
"""

from __future__ import annotations

import os
import sys
import time

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

from autorubric import CannotAssessConfig, CriterionReport, CriterionVerdict
from autorubric.scoring import score_reports


def main() -> None:
    responses, criteria = (int(one) for one in sys.argv[1:])
    verdicts = (CriterionVerdict.MET, CriterionVerdict.UNMET)
    reports = [
        [
            CriterionReport(
                weight=1.0 + place,
                requirement=f"Names reason number {place}.",
                verdict=verdicts[(number + place) % 2],
                reason="",
            )
            for place in range(criteria)
        ]
        for number in range(responses)
    ]
    config, taken = CannotAssessConfig(), []
    for _ in range(5):
        started = time.process_time()
        for one in reports:
            score_reports(one, config)
        taken.append(time.process_time() - started)
    print(min(taken) * 1000)


if __name__ == "__main__":
    main()
