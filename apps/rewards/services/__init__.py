"""What others write through this app: reward configurations, and rewards computed under them."""

from apps.rewards.services.computing import compute_rewards, rewards_of
from apps.rewards.services.configs import (
    DEFAULT,
    aggregator_of,
    config_named,
    default_settings,
    save_config,
)

__all__ = [
    "DEFAULT",
    "aggregator_of",
    "compute_rewards",
    "config_named",
    "default_settings",
    "rewards_of",
    "save_config",
]
