"""Shapes of what the API says about a project."""

from __future__ import annotations

from datetime import datetime

from ninja import Schema


class ProjectOut(Schema):
    slug: str
    name: str
    description: str
    created_at: datetime
