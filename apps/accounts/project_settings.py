"""A project's settings: named choices with defaults, read and written through here only.

The keys are part of what a bundle's configuration derives from, so a key keeps its meaning for
ever; a choice that means something else gets another name, and `version` says which set of keys
a stored value was written with.
"""

from __future__ import annotations

from typing import Any, Literal

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from apps.accounts.models import Project
from apps.activity.errors import BadInput


class ProjectSettings(BaseModel):
    """Defaults are what a new project has."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1] = 1
    # What a verdict or checker that is missing for one member does to its group (methods.md 0).
    missing: Literal["drop_item_for_group", "unscore_response", "fail", "reject"] = (
        "drop_item_for_group"
    )
    # Below this share of items a group has no reward under `missing = reject`.
    min_coverage: float = Field(default=0.8, ge=0, le=1)
    # What a checker that breaks says: no answer, or (the paper's rule) a failure, counted apart.
    checker_error: Literal["unavailable", "fail"] = "unavailable"
    # Whether what no constraint type expresses may become code that a model writes.
    generated_checkers: bool = False
    # Whether somebody else than its author must approve a spec before it is a candidate.
    approval_needs_second_person: bool = True
    # After so many days the texts of calls are dropped; their hashes and numbers stay. None: never.
    keep_call_texts_days: int | None = Field(default=None, ge=1, le=36_500)

    @field_validator("keep_call_texts_days", mode="before")
    @classmethod
    def _empty_is_never(cls, value: Any) -> Any:
        return None if value == "" else value


def load(project: Project) -> ProjectSettings:
    """The project's settings, defaults filled in. Raises BadInput when what is stored is wrong."""
    return _validated(project.settings)


def changed(settings: ProjectSettings, changes: dict[str, Any]) -> ProjectSettings:
    """The settings with these keys set. Raises BadInput."""
    return _validated({**settings.model_dump(), **changes})


def _validated(values: dict[str, Any]) -> ProjectSettings:
    try:
        return ProjectSettings.model_validate(values)
    except ValidationError as error:
        reasons = "; ".join(
            f"{'.'.join(map(str, flaw['loc']))}: {flaw['msg']}" for flaw in error.errors()
        )
        raise BadInput(_("These project settings do not hold: %s.") % reasons) from None
