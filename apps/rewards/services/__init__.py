"""What others write through this app: reward configurations, and rewards computed under them."""

from apps.rewards.services.background import carry_computing, start_computing, takes_long
from apps.rewards.services.computing import compute_rewards, rewards_of
from apps.rewards.services.configs import (
    DEFAULT,
    aggregator_of,
    config_as_named,
    config_named,
    default_settings,
    save_config,
)
from apps.rewards.services.explaining import Explanation, Line, Section, explain_reward
from apps.rewards.services.grouping import Gathered, contents_of, gather, step_of

__all__ = [
    "DEFAULT",
    "Explanation",
    "Gathered",
    "Line",
    "Section",
    "aggregator_of",
    "carry_computing",
    "compute_rewards",
    "config_as_named",
    "config_named",
    "contents_of",
    "default_settings",
    "explain_reward",
    "gather",
    "rewards_of",
    "save_config",
    "start_computing",
    "step_of",
    "takes_long",
]
