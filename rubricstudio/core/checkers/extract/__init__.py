"""Constraints read out of a prompt by rules, without a model.

Plain phrasings in English and Chinese: "in at most 300 words", "do not use the word", "不超过
200字". A rule that is not sure says nothing. Each constraint carries the words of the prompt that
ask for it, and every number in it is named by those words.
"""

from rubricstudio.core.checkers.extract.comparing import Compared, compare
from rubricstudio.core.checkers.extract.extracting import extract

__all__ = ["Compared", "compare", "extract"]
