"""Saving a version of a spec: rows, canonical line and hash in one transaction.

A version never changes; whoever edits saves the next one, and says which one it was made from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts import services as accounts
from apps.accounts.models import User
from apps.activity import services as activity
from apps.activity.errors import Conflict
from apps.activity.models import Job
from apps.prompts.models import PromptRevision
from apps.specs.models import Checker, Constraint, Criterion, Spec
from apps.specs.services.drafts import Draft, DraftConstraint, Origin
from rubricstudio.core import types as core
from rubricstudio.core.checkers.generated import code_sha256
from rubricstudio.core.errors import SpecError

NO_COLUMN = ("source_name", "tags")
LONGEST = {"key": 80, "bucket": 40, "tier": 20}
"""Characters that the columns of a criterion hold."""


@transaction.atomic
def save_draft(
    revision: PromptRevision,
    *,
    draft: Draft,
    parent: Spec | None = None,
    author: User | None = None,
    reason: str = "",
    job: Job | None = None,
) -> Spec:
    """Save the next version of the spec of a prompt revision.

    Raises `Conflict` when `parent` is not the newest version any more, and `SpecError` or
    `CanonicalError` when the parts do not make a spec.
    """
    PromptRevision.objects.select_for_update(no_key=True).get(pk=revision.pk)
    newest = Spec.objects.filter(prompt_revision=revision).order_by("-version").first()
    if newest != parent:
        raise Conflict(
            _("Somebody saved version %(version)d of this spec meanwhile: look at it first.")
            % {"version": newest.version if newest else 0}
        )
    value = spec_value(revision, draft, version=newest.version + 1 if newest else 1)
    _check_storable(value)
    _count_prompt(revision)
    spec = Spec.objects.create(
        prompt_revision=revision,
        version=value.version,
        spec_id=value.spec_id(),
        line=value.line().decode(),
        label=value.label,
        dialect=value.dialect,
        method=value.method,
        provenance=dict(draft.provenance),
        parent=parent,
        author=author,
        reason=reason,
        job=job,
    )
    _save_criteria(spec, draft.criteria)
    _save_constraints(spec, draft.constraints)
    return spec


def _count_prompt(revision: PromptRevision) -> None:
    """The counter `spec` is the number of prompts that have one, whatever revision or version."""
    prompt = revision.prompt
    if not Spec.objects.filter(prompt_revision__prompt=prompt).exists():
        accounts.allocate_numbers(project=prompt.project, kind="spec")


@transaction.atomic
def save_version(spec: Spec, *, value: core.SpecValue, author: User, reason: str = "") -> Spec:
    """Save an edited spec as the next version, a draft again.

    `value` is what `Spec.as_value` gave, changed. Constraints that no checker answers are not in
    it and stay. Raises `Conflict` when `spec` is not the newest version any more.
    """
    rows = spec.constraints.select_related("checker")
    before = {one.content_sha256: DraftConstraint.kept(one) for one in rows}
    constraints = [_edited(one, before) for one in value.constraints]
    constraints += [one for one in before.values() if one.refused]
    draft = Draft(
        criteria=value.criteria,
        constraints=tuple(constraints),
        label=value.label,
        dialect=value.dialect,
        method=spec.method,
    )
    return save_edited(spec, draft=draft, author=author, reason=reason)


@transaction.atomic
def save_edited(spec: Spec, *, draft: Draft, author: User, reason: str = "") -> Spec:
    """Save what a person made of a version as the next one, and write it to the trail.

    Raises as `save_draft` does.
    """
    saved = save_draft(
        spec.prompt_revision,
        draft=replace(draft, provenance={"edited_from": spec.pk}),
        parent=spec,
        author=author,
        reason=reason,
    )
    activity.record(
        verb="spec.saved",
        target=saved,
        project=spec.prompt_revision.prompt.project,
        actor=author,
        reason=reason,
        detail={"version": saved.version, "spec_id": saved.spec_id},
    )
    return saved


def spec_value(revision: PromptRevision, draft: Draft, *, version: int) -> core.SpecValue:
    """The value whose canonical line is stored; refused constraints are not part of it."""
    return core.SpecValue(
        prompt_id=revision.prompt.key,
        prompt=prompt_of(revision),
        criteria=draft.criteria,
        constraints=draft.checked,
        label=draft.label,
        dialect=draft.dialect,
        method=draft.method,
        version=version,
    )


def prompt_of(revision: PromptRevision) -> tuple[core.Message, ...]:
    return tuple(core.Message.from_dict(one) for one in revision.messages)


def _edited(constraint: core.Constraint, before: dict[str, DraftConstraint]) -> DraftConstraint:
    """One that was there keeps its origin and code; any other was entered by the person."""
    known = before.get(constraint.content_hash())
    if known is not None and known.code:
        return known
    edited = DraftConstraint.of(constraint, origin=Origin.PERSON)
    known = before.get(edited.value.content_hash())
    return replace(edited, origin=known.origin) if known else edited


def _check_storable(value: core.SpecValue) -> None:
    """A model may write what no column holds: a key without end, a NUL character."""
    _refuse_nul(value.to_dict())
    for criterion in value.criteria:
        for name, longest in LONGEST.items():
            if len(getattr(criterion, name)) > longest:
                raise SpecError(
                    _("the %(name)s of the criterion %(key).20s… is longer than %(longest)d")
                    % {"name": name, "key": criterion.key, "longest": longest}
                )


def _refuse_nul(value: core.Json) -> None:
    if isinstance(value, str):
        if "\0" in value:
            raise SpecError(_("a text of the spec holds a NUL character, which cannot be stored"))
    elif isinstance(value, Mapping):
        for one in value.values():
            _refuse_nul(one)
    elif isinstance(value, Sequence):
        for one in value:
            _refuse_nul(one)


def _save_criteria(spec: Spec, criteria: Sequence[core.Criterion]) -> None:
    rows = [_criterion_row(spec, position, one) for position, one in enumerate(criteria)]
    Criterion.objects.bulk_create(rows)


def _criterion_row(spec: Spec, position: int, value: core.Criterion) -> Criterion:
    columns = value.to_dict()
    extra = {name: columns.pop(name) for name in NO_COLUMN}
    return Criterion(
        spec=spec,
        position=position,
        content_sha256=value.content_hash(),
        extra={name: one for name, one in extra.items() if one},
        **columns,
    )


def _save_constraints(spec: Spec, constraints: Sequence[DraftConstraint]) -> None:
    rows = [
        Constraint(
            spec=spec,
            position=position,
            type=one.value.type,
            params=dict(one.value.params),
            options=dict(one.value.options),
            dialect=one.value.dialect,
            evidence=one.value.evidence,
            origin=one.origin,
            refused=one.refused,
            content_sha256=one.value.content_hash(),
        )
        for position, one in enumerate(constraints)
    ]
    Constraint.objects.bulk_create(rows)
    Checker.objects.bulk_create(
        _checker_row(row, one)
        for row, one in zip(rows, constraints, strict=True)
        if not row.refused
    )


def _checker_row(constraint: Constraint, value: DraftConstraint) -> Checker:
    if not value.code:
        return Checker(constraint=constraint, content_sha256=constraint.content_sha256)
    return Checker(
        constraint=constraint,
        origin=Checker.Origin.GENERATED,
        content_sha256=code_sha256(value.code),
        code=value.code,
        validation=dict(value.validation),
    )
