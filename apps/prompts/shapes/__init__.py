"""From a row to a prompt: which column plays which part, and what the known row shapes mean.

A shape is told by its content; naming one forces it. Whatever no part uses is kept as a column.
"""

from apps.prompts.shapes.kinds import SHAPES, Shape
from apps.prompts.shapes.prompt import MAPPABLE, NO_EXTRAS, Extras, PromptValue, read_prompt

__all__ = ["MAPPABLE", "NO_EXTRAS", "SHAPES", "Extras", "PromptValue", "Shape", "read_prompt"]
