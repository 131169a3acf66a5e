"""Whether each part of the system answers, and what to do when it does not."""

from apps.studio.health.parts import Part, all_parts, workers_part

__all__ = ["Part", "all_parts", "workers_part"]
