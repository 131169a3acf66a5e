"""Which tables make up a project, and how their rows hang together.

A project travels as one file of rows a table. There rows are numbered anew, from 1 in the order of
their ids, and refer to each other by these numbers, to people by their user names. So a project
that was brought in and taken out again gives the same rows, byte for byte.

Every table with rows of a project stands in TABLES or, with the reason, in NOT_CARRIED; a test
holds new tables to it. The order is that of the flow: whoever deletes goes backwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from django.db.models import Field, Model

from apps.accounts.models import Project, ProjectCounter, User
from apps.activity.models import Job
from apps.bundles.models import Bundle, BundleChunk, BundleFile, BundleSpec
from apps.calls.models import Call, ModelEndpoint, ModelRole, TemplateVersion
from apps.judging.models import (
    CheckOutcome,
    CheckRun,
    Comparison,
    JudgeRun,
    RunRollout,
    RunSet,
    Shard,
    Verdict,
)
from apps.prompts.models import Domain, Import, Passage, Prompt, PromptRevision, Reference, Reject
from apps.rewards.models import Reward, RewardConfig, RewardRun
from apps.rollouts.models import Batch, Policy, Rollout, RolloutGroup
from apps.specs.models import Checker, CheckerRecord, Constraint, Criterion, Spec, SpecFailure
from apps.studio.services.transfer.references import JOB_ARGUMENTS, PROVENANCE, JsonReferences

AnyModel = type[Model]
AnyField: TypeAlias = "Field[Any, Any]"


@dataclass(frozen=True)
class Table:
    """A table with rows of projects. `owner` is the field that says whose a row is."""

    model: AnyModel
    owner: str = "project"
    # Columns that hold ids of another table without a foreign key.
    numbers: Mapping[str, AnyModel] = field(default_factory=dict)
    json: tuple[JsonReferences, ...] = ()

    @property
    def name(self) -> str:
        return self.model._meta.label_lower

    @property
    def rows(self) -> str:
        return self.model._meta.db_table

    @cached_property
    def targets(self) -> dict[str, AnyModel]:
        """The table that each column with an id refers to, foreign key or not."""
        keys = {one.attname: one.related_model for one in self.fields if one.related_model}
        return {**keys, **self.numbers}

    @cached_property
    def fields(self) -> list[AnyField]:
        """All columns but the primary key."""
        return [one for one in self.model._meta.concrete_fields if not one.primary_key]

    @cached_property
    def carried(self) -> list[AnyField]:
        """The columns that travel; which project it is, the file says as a whole."""
        return [one for one in self.fields if one.column != "project_id"]

    @property
    def owner_column(self) -> str:
        return str(self.model._meta.get_field(self.owner).column)  # type: ignore[union-attr]

    @property
    def is_root(self) -> bool:
        """Whether its rows name their project themselves."""
        return self.owner_column == "project_id"


TABLES = (
    Table(ProjectCounter),
    Table(Job, json=(JOB_ARGUMENTS,)),
    Table(ModelRole),
    Table(
        Call,
        owner="project_id",
        numbers={
            "job_id": Job,
            "endpoint_id": ModelEndpoint,
            "template_version_id": TemplateVersion,
        },
    ),
    Table(Domain),
    Table(Import),
    Table(Reject, owner="source"),
    Table(Prompt),
    Table(PromptRevision, owner="prompt"),
    Table(Passage, owner="revision"),
    Table(Reference, owner="revision"),
    Table(Policy),
    Table(Batch),
    Table(RolloutGroup, owner="batch"),
    Table(Rollout),
    Table(Spec, owner="prompt_revision", json=(PROVENANCE,)),
    Table(Criterion, owner="spec"),
    Table(Constraint, owner="spec"),
    Table(Checker, owner="constraint"),
    Table(CheckerRecord),
    Table(SpecFailure, owner="prompt_revision"),
    Table(RunSet),
    Table(JudgeRun),
    Table(Shard, owner="run"),
    Table(RunRollout, owner="run"),
    Table(Verdict, owner="run", numbers={"call_id": Call}),
    Table(Comparison, owner="run", numbers={"call_id": Call}),
    Table(CheckRun),
    Table(CheckOutcome, owner="run"),
    Table(RewardConfig),
    Table(RewardRun),
    Table(Reward, owner="run"),
    Table(Bundle),
    Table(BundleSpec, owner="bundle"),
    Table(BundleFile, owner="bundle"),
    Table(BundleChunk, owner="file"),
)

SHARED: tuple[AnyModel, ...] = (ModelEndpoint, TemplateVersion)
"""Of these a project uses its own rows and the installation's (shared.py)."""

NOT_CARRIED: Mapping[str, str] = {
    "accounts.project": "the manifest says what it is called and how it is set",
    "accounts.membership": "who may enter is decided where the project is",
    "accounts.apitoken": "a secret of the installation",
    "accounts.invitation": "a secret of the installation",
    "activity.auditevent": "the trail is carried to be read, and begins anew where it comes in",
    "activity.seal": "belongs to the trail",
    "activity.draft": "what one person has not saved yet",
    "calls.endpointlease": "held by running workers",
    "calls.modelendpoint": "shared.py",
    "calls.template": "by the name of its versions",
    "calls.templateversion": "shared.py",
    "calls.text": "by the hashes that calls have",
    "prompts.upload": "a file that waits to be imported; its import is carried",
}

COPIED: tuple[AnyModel, ...] = (
    ProjectCounter,
    ModelRole,
    Domain,
    Import,
    Prompt,
    PromptRevision,
    Passage,
    Reference,
    Spec,
    Criterion,
    Constraint,
    Checker,
    RewardConfig,
)
"""What a copy takes along: settings, prompts and specs."""


THAWED: Mapping[tuple[str, str], str] = {
    ("specs.spec", "state"): "CASE WHEN t.state = 'frozen' THEN 'candidate' ELSE t.state END",
    ("specs.spec", "frozen_at"): "NULL::timestamptz",
}
"""A spec is frozen by a bundle; the copy has none, and it is an approved candidate there."""
ONLY_PROMPTS: Mapping[str, str] = {
    "accounts.projectcounter": "kind IN ('import', 'prompt', 'spec')",
    "prompts.import": "kind = 'prompts'",
}
"""The last number of a kind counts its things, and of what answered the copy has none."""


@dataclass(frozen=True)
class Plan:
    """The tables that are carried, all of them or those of a copy."""

    tables: tuple[Table, ...] = TABLES
    # SQL for what is carried in place of a column, by the table's name and the column's.
    replaced: Mapping[tuple[str, str], str] = field(default_factory=dict)
    # A condition on the rows of a table, by its name.
    only: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_copy(cls) -> Plan:
        tables = tuple(table for table in TABLES if table.model in COPIED)
        return cls(tables, replaced=THAWED, only=ONLY_PROMPTS)

    def rows(self, table: Table, project: Project) -> str:
        """The condition, in SQL, that a row is carried."""
        mine = rows_of(table, project)
        return f"{mine} AND {self.only[table.name]}" if table.name in self.only else mine

    def table_of(self, model: AnyModel) -> Table | None:
        return next((table for table in self.tables if table.model is model), None)

    def is_numbered(self, model: AnyModel) -> bool:
        """Whether its rows are carried with a number that others refer to."""
        return model in SHARED or model in self.referenced

    @cached_property
    def referenced(self) -> frozenset[AnyModel]:
        there = {table.model for table in self.tables}
        named = {
            target
            for table in self.tables
            for target in (*table.targets.values(), *(t for one in table.json for t in one.targets))
        }
        return frozenset(there & named)

    def people_columns(self) -> Iterator[tuple[Table, AnyField]]:
        for table in self.tables:
            for one in table.fields:
                if one.related_model is User:
                    yield table, one


def column_of(one: AnyField) -> str:
    """The name of the column; every field of a table has one."""
    return str(one.column)


def rows_of(table: Table, project: Project) -> str:
    """The condition, in SQL, that a row belongs to the project."""
    if table.is_root:
        return f"project_id = {project.pk:d}"
    owner = table.targets[table.owner_column]
    above = next(one for one in TABLES if one.model is owner)
    inner = f"SELECT id FROM {above.rows} WHERE {rows_of(above, project)}"
    return f"{table.owner_column} IN ({inner})"
