"""Shapes of what the API says about a project, and of what pages send as JSON."""

from __future__ import annotations

from datetime import datetime

from ninja import Schema
from pydantic import BaseModel, ConfigDict, Field


class ProjectOut(Schema):
    slug: str
    name: str
    description: str
    created_at: datetime


class DraftIn(BaseModel):
    """A draft as a page sends it; `version` is the one it saw last, 0 for none."""

    model_config = ConfigDict(extra="forbid")

    body: dict[str, str | list[str]]
    version: int = Field(ge=0, lt=2**31)
