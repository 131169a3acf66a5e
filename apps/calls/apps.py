from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.db import DEFAULT_DB_ALIAS
from django.db.models.signals import post_migrate


class CallsConfig(AppConfig):
    name = "apps.calls"

    def ready(self) -> None:
        post_migrate.connect(_make_partitions, sender=self)


def _make_partitions(*, using: str, plan: Any = (), **_kwargs: Any) -> None:
    """After every `migrate`; backwards to before its own tables there is nothing to do."""
    from apps.calls.services.partitions import ensure_partitions

    if using == DEFAULT_DB_ALIAS and not any(backwards for _step, backwards in plan):
        ensure_partitions()
