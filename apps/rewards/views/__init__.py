"""Pages of rewards: runs, why a reward is what it is, configurations."""

from apps.rewards.views.configs import list_configs, new_config, show_config
from apps.rewards.views.reason import why
from apps.rewards.views.runs import compute, list_runs, show_run

__all__ = [
    "compute",
    "list_configs",
    "list_runs",
    "new_config",
    "show_config",
    "show_run",
    "why",
]
