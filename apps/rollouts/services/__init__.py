"""What others write through this app: imports of rollouts."""

from apps.rollouts.services.rollouts import import_rollouts

__all__ = ["import_rollouts"]
