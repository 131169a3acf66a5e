"""Reads of reward configurations, runs and rewards, and of the evidence behind them."""

from apps.rewards.selectors.evidence import (
    Evidence,
    GroupRow,
    Member,
    OutcomeRow,
    VerdictRow,
    chunks,
    evidence_of,
    evidence_of_group,
)
from apps.rewards.selectors.pages import (
    REWARD_JOB,
    Bin,
    check_runs_to_offer,
    config_list,
    histogram,
    judge_runs_to_offer,
    policies_in,
    reward_jobs,
    reward_table,
    run_list,
)
from apps.rewards.selectors.runs import (
    config_names,
    configs_of,
    list_rewards,
    newest_check_run,
    newest_config,
    reward_runs_of,
)
from apps.rewards.selectors.said import (
    GroupUnderRun,
    group_under_run,
    outcomes_about,
    verdicts_about,
)

__all__ = [
    "REWARD_JOB",
    "Bin",
    "Evidence",
    "GroupRow",
    "GroupUnderRun",
    "Member",
    "OutcomeRow",
    "VerdictRow",
    "check_runs_to_offer",
    "chunks",
    "config_list",
    "config_names",
    "configs_of",
    "evidence_of",
    "evidence_of_group",
    "group_under_run",
    "histogram",
    "judge_runs_to_offer",
    "list_rewards",
    "newest_check_run",
    "newest_config",
    "outcomes_about",
    "policies_in",
    "reward_jobs",
    "reward_runs_of",
    "reward_table",
    "run_list",
    "verdicts_about",
]
