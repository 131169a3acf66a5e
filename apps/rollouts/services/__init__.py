"""What others write through this app: imports of rollouts."""

from apps.rollouts.services.rollouts import IMPORTER, checked_policy, import_rollouts

__all__ = ["IMPORTER", "checked_policy", "import_rollouts"]
