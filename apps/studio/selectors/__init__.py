"""Reads over several steps."""

from apps.studio.selectors.projects import ProjectLine, project_lines
from apps.studio.selectors.steps import Step, steps_of

__all__ = ["ProjectLine", "Step", "project_lines", "steps_of"]
