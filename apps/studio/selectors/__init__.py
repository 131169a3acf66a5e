"""Reads over several steps."""

from apps.studio.selectors.projects import ProjectLine, project_lines
from apps.studio.selectors.steps import Standing, Step, count_open_jobs, standing

__all__ = ["ProjectLine", "Standing", "Step", "count_open_jobs", "project_lines", "standing"]
