"""From a row of a trainer's log or an evaluation's output to rollouts."""

from apps.rollouts.shapes.rollout import MAPPABLE, RolloutValue, read_rollouts

__all__ = ["MAPPABLE", "RolloutValue", "read_rollouts"]
