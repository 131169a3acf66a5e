"""An archived project is read-only, whoever writes: a page, the API, a command or a worker.

Every act in a project leaves an event in its trail, takes a number or starts a job. A trigger on
these three tables refuses them where the project is archived or deleted; what happens to the
project as a whole and to who may enter it is let through. The refusal comes back as a Conflict with
a sentence, from whatever service was at work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import DatabaseError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils.translation import gettext as _

from apps.activity.errors import Conflict

SQLSTATE = "RS001"
LET_THROUGH = r"^(member|token|invitation|project)\."
NOT_LET_THROUGH = r"^project\.(changed|settings_changed)$"
COPYING = "copy_project"

FUNCTION = f"""
CREATE FUNCTION rubricstudio_open_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.project_id IS NULL THEN
        RETURN NEW;
    END IF;
    IF TG_TABLE_NAME = 'activity_auditevent' THEN
        IF NEW.verb ~ '{LET_THROUGH}' AND NEW.verb !~ '{NOT_LET_THROUGH}' THEN
            RETURN NEW;
        END IF;
    ELSIF TG_TABLE_NAME = 'activity_job' THEN
        IF NEW.state NOT IN ('queued', 'running') OR NEW.kind = '{COPYING}' THEN
            RETURN NEW;
        END IF;
    END IF;
    IF EXISTS (
        SELECT FROM accounts_project
        WHERE id = NEW.project_id AND (archived_at IS NOT NULL OR deleted_at IS NOT NULL)
    ) THEN
        RAISE EXCEPTION 'project % is read-only', NEW.project_id USING ERRCODE = '{SQLSTATE}';
    END IF;
    RETURN NEW;
END $$;
"""
TRIGGERS = {
    "activity_auditevent": "INSERT",
    "activity_job": "INSERT OR UPDATE OF state",
    "accounts_projectcounter": "INSERT OR UPDATE",
}


def refuse_with_a_sentence(connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    """Called for each new connection to the database."""
    if _told not in connection.execute_wrappers:
        connection.execute_wrappers.append(_told)


def _told(
    execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]
) -> Any:
    try:
        return execute(sql, params, many, context)
    except DatabaseError as error:
        if getattr(error.__cause__, "sqlstate", None) != SQLSTATE:
            raise
        raise Conflict(
            _(
                "This project is archived and read-only: an administrator of it can unarchive it "
                "in its settings."
            )
        ) from error
