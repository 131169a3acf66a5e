"""Reads of reward configurations, runs and rewards, and of the evidence behind them."""

from apps.rewards.selectors.evidence import (
    Evidence,
    GroupRow,
    Member,
    OutcomeRow,
    VerdictRow,
    chunks,
    evidence_of,
)
from apps.rewards.selectors.runs import (
    config_names,
    configs_of,
    list_rewards,
    newest_check_run,
    newest_config,
    reward_runs_of,
)

__all__ = [
    "Evidence",
    "GroupRow",
    "Member",
    "OutcomeRow",
    "VerdictRow",
    "chunks",
    "config_names",
    "configs_of",
    "evidence_of",
    "list_rewards",
    "newest_check_run",
    "newest_config",
    "reward_runs_of",
]
