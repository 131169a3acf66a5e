"""What Django's migrations cannot say: partitioned tables and rows that never change.

A protected row can be deleted only by the purge service, which sets `rubricstudio.purge` for its
transaction and writes the trail (erasure of a person's data, retention).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import ProjectState
from django.db.models import Model

PURGE_SETTING = "rubricstudio.purge"

GUARD_FUNCTION = f"""
CREATE OR REPLACE FUNCTION rubricstudio_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    movable text[] := TG_ARGV[0]::text[];
    before_row jsonb;
    after_row jsonb;
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF current_setting('{PURGE_SETTING}', true) = 'on' THEN
            RETURN OLD;
        END IF;
        RAISE EXCEPTION 'rows of % are kept: only a purge may delete one', TG_TABLE_NAME
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    before_row := to_jsonb(OLD) - movable;
    after_row := to_jsonb(NEW) - movable;
    IF before_row IS DISTINCT FROM after_row THEN
        RAISE EXCEPTION 'rows of % never change: write a new version', TG_TABLE_NAME
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
"""


def guard(table: str, *, movable: Sequence[str] = ()) -> migrations.RunSQL:
    """Refuse deletion and any change of `table`, but for the columns in `movable`."""
    columns = "{" + ",".join(movable) + "}"
    return migrations.RunSQL(
        f"CREATE TRIGGER {table}_guard BEFORE UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION rubricstudio_guard('{columns}');",
        f"DROP TRIGGER {table}_guard ON {table};",
    )


class CreatePartitionedModel(migrations.CreateModel):
    """CreateModel whose table is partitioned by `column`; its primary key is (column, id).

    Django goes on to see `id` as the key. Rows referring to it hold a plain number.
    """

    def __init__(self, *args: Any, by: str, partitions: Sequence[str], **kwargs: Any) -> None:
        """`by`: e.g. "HASH (run_id)"; a partition: "suffix|FOR VALUES …" or "suffix|DEFAULT"."""
        super().__init__(*args, **kwargs)
        self.by = by
        self.partitions = list(partitions)

    def deconstruct(self) -> tuple[str, Sequence[Any], dict[str, Any]]:
        name, args, kwargs = super().deconstruct()
        return name, args, {**kwargs, "by": self.by, "partitions": self.partitions}

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        model = to_state.apps.get_model(app_label, self.name)
        sql, parameters = schema_editor.table_sql(model)
        schema_editor.execute(self._partitioned(str(sql)), parameters or None)
        table = model._meta.db_table
        for partition in self.partitions:
            suffix, bound = partition.split("|")
            schema_editor.execute(f"CREATE TABLE {table}_{suffix} PARTITION OF {table} {bound}")
        self._finish(schema_editor, model)

    def _partitioned(self, sql: str) -> str:
        column = self.by.split("(")[1].rstrip(") ")
        plain = sql.replace(" PRIMARY KEY", "", 1)
        return f'{plain.rstrip()[:-1]}, PRIMARY KEY ("{column}", "id")) PARTITION BY {self.by}'

    @staticmethod
    def _finish(schema_editor: Any, model: type[Model]) -> None:
        schema_editor.deferred_sql.extend(schema_editor._model_indexes_sql(model))


def hash_partitions(count: int) -> list[str]:
    return [
        f"p{part:02d}|FOR VALUES WITH (MODULUS {count}, REMAINDER {part})" for part in range(count)
    ]
