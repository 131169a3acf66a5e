"""Rewards of a training step and of a whole project, against the same formulas over numpy arrays.

    python -m benchmarks.rewards [--prompts 1000] [--peer PYTHON]

A step is 128 prompts with eight rollouts each, every one judged on ten criteria and as a whole. The
project has eight rollouts a prompt as well; its rewards are computed as users compute them: read
from the database, aggregated, stored, then found again. The floor does nothing but the arithmetic
of the same cells: weighted means, the parts put together, the advantages. One line of JSON per
figure, in CPU: milliseconds for a step, seconds for a million verdicts. Ordinal fusion stands
beside scipy and choix, and ``--peer``, the Python of an environment with autorubric, adds its sum.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks._cost import cost_of
from benchmarks._fusing import measure_fusion
from rubricstudio.core.rewards import Group, Hybrid, Member
from rubricstudio.core.types import Criterion, Verdict
from rubricstudio.local.database import borrow_database

STEP: Final = 128
ROLLOUTS: Final = 8
CRITERIA: Final = 10
REPEATS: Final = 5
ANSWERS: Final = {"yes": 1.0, "part": 0.5, "no": 0.0}
MILLION: Final = 1e6
INSERT_VERDICTS: Final = """
INSERT INTO judging_verdict
    (run_id, rollout_id, criterion_id, sample, state, reason, answer, score, evidence, flags,
     created_at)
SELECT %(run)s, rollout.id, asked.criterion, 0, 'scored', '', '', asked.score, '', '[]', now()
FROM rollouts_rollout AS rollout
JOIN specs_spec AS spec USING (prompt_revision_id)
CROSS JOIN LATERAL (
    SELECT id AS criterion, (rollout.id + id) %% 3 / 2.0 AS score
    FROM specs_criterion WHERE spec_id = spec.id
    UNION ALL SELECT NULL, rollout.id %% 11
) AS asked
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prompts", type=int, default=1000)
    parser.add_argument("--peer", help="the Python of an environment with autorubric")
    options = parser.parse_args()
    measure_step()
    measure_fusion(report, options.peer)
    os.environ["DJANGO_SETTINGS_MODULE"] = "rubricstudio.settings.dev"
    with tempfile.TemporaryDirectory(prefix="rubricstudio-bench-") as folder:
        os.environ["RUBRICSTUDIO_DATA"] = folder
        with borrow_database():
            subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], check=True)
            measure_project(options.prompts)


def report(figure: str, **values: float) -> None:
    rounded = {key: round(value, 3) for key, value in values.items()}
    print(json.dumps({"figure": figure, **rounded}), flush=True)


def measure_step() -> None:
    groups = [make_group(random.Random(number)) for number in range(STEP)]
    scores, overall, weights = arrays_of(groups)
    floor = seconds(lambda: floor_of(scores, overall, weights))
    ours = seconds(lambda: [Hybrid().aggregate(group) for group in groups])
    verdicts = STEP * ROLLOUTS * (CRITERIA + 1)
    report(
        "rewards.step",
        ms=ours * 1000,
        floor_ms=floor * 1000,
        s_per_million=ours / verdicts * MILLION,
        cpu_in_floors=ours / floor,
    )


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds of the work, the best of some tries."""
    taken = []
    for _ in range(REPEATS):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken)


def make_group(chance: random.Random) -> Group:
    criteria = tuple(
        Criterion(f"c{place}", f"It names reason {place}.", 1.0 + place)
        for place in range(CRITERIA)
    )
    members = tuple(
        Member(str(number), verdicts(chance), overall=Verdict.scored("7", chance.randint(0, 10)))
        for number in range(ROLLOUTS)
    )
    return Group(criteria, (), members)


def verdicts(chance: random.Random) -> dict[str, Verdict]:
    answers = chance.choices(list(ANSWERS), k=CRITERIA)
    return {
        f"c{place}": Verdict.scored(answer, ANSWERS[answer]) for place, answer in enumerate(answers)
    }


Numbers = NDArray[np.float64]


def arrays_of(groups: list[Group]) -> tuple[Numbers, Numbers, Numbers]:
    """Scores by group, rollout and criterion; global scores by group and rollout; weights."""
    scores = [
        [[one.score for one in member.verdicts.values()] for member in group.members]  # type: ignore[union-attr]
        for group in groups
    ]
    overall = [[member.overall.score for member in group.members] for group in groups]  # type: ignore[union-attr]
    weights = [one.weight for one in groups[0].criteria]
    return np.array(scores), np.array(overall), np.array(weights)


def floor_of(scores: Numbers, overall: Numbers, weights: Numbers) -> tuple[Numbers, Numbers]:
    rewards = (scores @ weights / weights.sum() + overall.clip(0, 10) / 10) / 2
    spread = rewards.std(axis=1, ddof=1, keepdims=True)
    return rewards, (rewards - rewards.mean(axis=1, keepdims=True)) / (spread + 1e-6)


def measure_project(prompts: int) -> None:
    import django

    django.setup()
    project = make_project(prompts)
    for figure in ("rewards.run", "rewards.run_again"):
        run, cost = cost_of(lambda: compute(project))
        count = run.summary["rollouts"] * (CRITERIA + 1)
        report(
            figure,
            verdicts=count,
            seconds=cost.seconds,
            s_per_million=cost.cpu_s / count * MILLION,
            database_s_per_million=cost.database_cpu_s / count * MILLION,
        )


def compute(project: Any) -> Any:
    from apps.rewards.services import compute_rewards, config_named

    return compute_rewards(project=project, config=config_named(project=project, name="default"))


def make_project(prompts: int) -> Any:
    """Judged rollouts of specified prompts, in bulk."""
    from django.db import connection
    from django.utils import timezone

    from apps.accounts.services import get_or_create_project
    from benchmarks.bundles import make_revisions, make_specs
    from tests import factories

    project = get_or_create_project(slug="rewards")
    revisions = make_revisions(project, factories.make_import(project), range(prompts))
    make_specs(revisions)
    make_rollouts(project, revisions)
    run = factories.make_run(project, state="done", finished_at=timezone.now())
    with connection.cursor() as cursor:
        cursor.execute(INSERT_VERDICTS, {"run": run.pk})
        cursor.execute("ANALYZE")
    return project


def make_rollouts(project: Any, revisions: list[Any]) -> None:
    from apps.rollouts.models import Batch, Rollout, RolloutGroup
    from tests import factories

    batch = Batch.objects.create(project=project, source=factories.make_import(project))
    groups = RolloutGroup.objects.bulk_create(
        RolloutGroup(prompt_revision=revision, batch=batch) for revision in revisions
    )
    policy = factories.make_policy(project)
    Rollout.objects.bulk_create(
        Rollout(
            project=project,
            number=number,
            group=group,
            prompt_revision=group.prompt_revision,
            policy=policy,
            key=f"r{number}",
            messages=[{"role": "assistant", "content": "The Moon."}],
            content_sha256="",
            excerpt="",
            characters=9,
        )
        for number, group in enumerate((one for one in groups for _ in range(ROLLOUTS)), start=1)
    )


if __name__ == "__main__":
    main()
