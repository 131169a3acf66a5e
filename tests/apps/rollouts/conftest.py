"""Rollouts are imported from the same kind of files as prompts."""

from tests.apps.prompts.conftest import save

__all__ = ["save"]
