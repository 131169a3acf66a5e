"""Pages of prompts."""

from apps.prompts.views.lists import list_prompts

__all__ = ["list_prompts"]
