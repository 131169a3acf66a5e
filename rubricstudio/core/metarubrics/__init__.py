"""Meta-rubrics as values: composition, differences, Markdown, and those that ship with the product.

Pure functions; versions, authors and approvals are the application's.
"""

from functools import cache
from importlib.resources import files

from rubricstudio.core.metarubrics.composing import compose
from rubricstudio.core.metarubrics.differing import Change, ChangeKind, differences
from rubricstudio.core.metarubrics.markdown import from_markdown, to_markdown
from rubricstudio.core.metarubrics.types import (
    FailureMode,
    MetaCriterion,
    MetaRubric,
    MetaScope,
    Principle,
    Tier,
)


@cache
def shipped() -> tuple[MetaRubric, ...]:
    """The general meta-rubric first, then those of the domains by name."""
    folder = files(__name__) / "shipped"
    texts = (one.read_text(encoding="utf-8") for one in folder.iterdir())
    rubrics = map(from_markdown, texts)
    return tuple(sorted(rubrics, key=lambda one: (one.scope is MetaScope.DOMAIN, one.domain)))


__all__ = [
    "Change",
    "ChangeKind",
    "FailureMode",
    "MetaCriterion",
    "MetaRubric",
    "MetaScope",
    "Principle",
    "Tier",
    "compose",
    "differences",
    "from_markdown",
    "shipped",
    "to_markdown",
]
