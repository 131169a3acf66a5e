"""Shapes of the API: bundles in a list. A manifest and the files are sent as they are stored."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Schema


class BundleOut(Schema):
    """A bundle for a list; `retracted_reason` says why not to use it, empty otherwise."""

    number: int
    bundle_id: str
    name: str
    version: int
    parent: str | None
    config: str
    config_version: int
    specs: int
    frozen_by: str | None
    created_at: datetime
    retracted_at: datetime | None
    retracted_reason: str

    @classmethod
    def of(cls, bundle: Any) -> BundleOut:
        """`bundle` comes from the selector of lists, which counts its specs."""
        return cls(
            number=bundle.number,
            bundle_id=bundle.bundle_id,
            name=bundle.name,
            version=bundle.version,
            parent=bundle.parent.bundle_id if bundle.parent else None,
            config=bundle.config.name,
            config_version=bundle.config.version,
            specs=bundle.specs,
            frozen_by=bundle.frozen_by.username if bundle.frozen_by else None,
            created_at=bundle.created_at,
            retracted_at=bundle.retracted_at,
            retracted_reason=bundle.retracted_reason,
        )


class BundlesOut(Schema):
    """A page of bundles."""

    items: list[BundleOut]
    next: str | None
