"""The least that is valid of everything, through plain rows."""

from __future__ import annotations

import hashlib
import itertools
from typing import Any

from django.utils import timezone

from apps.accounts import services as accounts
from apps.accounts.models import Membership, Project, Role, Scope, User
from apps.bundles.models import Bundle, BundleChunk, BundleFile
from apps.calls.models import Call, ModelEndpoint
from apps.judging.models import JudgeRun, RunRollout, Shard, Verdict
from apps.prompts.models import Import, Prompt, PromptRevision, Upload
from apps.prompts.services.intake import UNSAID
from apps.rewards.models import RewardConfig, RewardRun
from apps.rollouts.models import Batch, Policy, Rollout, RolloutGroup
from apps.specs.models import Constraint, Criterion, Spec
from rubricstudio.core.types.messages import Message, messages_hash

_numbers = itertools.count(1)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def make_user(username: str = "", **values: Any) -> User:
    user = User(username=username or f"user{next(_numbers)}", **values)
    user.set_unusable_password()
    user.save()
    return user


def make_project(slug: str = "", **values: Any) -> Project:
    slug = slug or f"project-{next(_numbers)}"
    return Project.objects.create(slug=slug, **{"name": slug, **values})


def make_member(project: Project, *roles: Role, user: User | None = None) -> User:
    user = user or make_user()
    for role in roles:
        Membership.objects.create(project=project, user=user, role=role)
    return user


def make_token(project: Project, *scopes: Scope, **values: Any) -> accounts.CreatedToken:
    return accounts.create_token(
        project=project, name="test", scopes=scopes or tuple(Scope), **values
    )


def make_import(project: Project, kind: str = Import.Kind.PROMPTS, **values: Any) -> Import:
    return Import.objects.create(
        project=project,
        number=accounts.allocate_numbers(project=project, kind="import")[0],
        kind=kind,
        filename="file.jsonl",
        sha256=_sha256(f"file {next(_numbers)}"),
        size=1,
        format="jsonl",
        encoding="utf-8",
        **values,
    )


def make_upload(project: Project, kind: str = Import.Kind.PROMPTS, **values: Any) -> Upload:
    """An upload whose file is gone already."""
    defaults = {"filename": "file.jsonl", "size": 1, "options": UNSAID}
    return Upload.objects.create(project=project, kind=kind, **{**defaults, **values})


def make_prompt(
    project: Project, text: str = "Why does the sea have tides?", *, key: str = "", **values: Any
) -> Prompt:
    """A prompt with one revision; `values` go to the revision (given, columns …)."""
    number = accounts.allocate_numbers(project=project, kind="prompt")[0]
    prompt = Prompt.objects.create(
        project=project, number=number, key=key or f"prompt-{number}", has_external_id=True
    )
    prompt.current = make_revision(prompt, text, **values)
    prompt.save(update_fields=["current"])
    return prompt


def make_revision(prompt: Prompt, text: str, **values: Any) -> PromptRevision:
    messages = [{"role": "user", "content": text}]
    revision = prompt.revisions.count() + 1
    defaults = {
        "messages": messages,
        "content_sha256": messages_hash([Message.from_dict(one) for one in messages]),
        "text_sha256": _sha256(" ".join(text.split())),
        "excerpt": text[:300],
        "characters": len(text),
    }
    source = values.pop("source", None) or make_import(prompt.project)
    return PromptRevision.objects.create(
        prompt=prompt, revision=revision, source=source, **{**defaults, **values}
    )


def newest(prompt: Prompt) -> PromptRevision:
    assert prompt.current is not None
    return prompt.current


def make_group(prompt: Prompt, *, batch: Batch | None = None) -> RolloutGroup:
    if batch is None:
        source = make_import(prompt.project, Import.Kind.ROLLOUTS)
        batch = Batch.objects.create(project=prompt.project, source=source)
    return RolloutGroup.objects.create(prompt_revision=newest(prompt), batch=batch)


def make_policy(project: Project, name: str = "policy") -> Policy:
    return Policy.objects.get_or_create(project=project, name=name)[0]


def make_rollout(
    prompt: Prompt,
    text: str = "The Moon pulls the water.",
    *,
    group: RolloutGroup | None = None,
    policy: str = "policy",
    **values: Any,
) -> Rollout:
    """A rollout of the prompt's newest revision, in a group of its own unless one is given."""
    project = prompt.project
    group = group or make_group(prompt)
    number = accounts.allocate_numbers(project=project, kind="rollout")[0]
    messages = [{"role": "assistant", "content": text}]
    defaults = {
        "key": f"rollout-{number}",
        "messages": messages,
        "content_sha256": messages_hash([Message.from_dict(one) for one in messages]),
        "excerpt": text[:300],
        "characters": len(text),
    }
    return Rollout.objects.create(
        project=project,
        number=number,
        group=group,
        prompt_revision=group.prompt_revision,
        policy=make_policy(project, policy),
        **{**defaults, **values},
    )


def make_bare_spec(prompt: Prompt, **values: Any) -> Spec:
    """The next version for the prompt's newest revision, without criteria and constraints."""
    revision = newest(prompt)
    version = revision.specs.count() + 1
    if not Spec.objects.filter(prompt_revision__prompt=prompt).exists():
        accounts.allocate_numbers(project=prompt.project, kind="spec")
    line = f'{{"test":{next(_numbers)}}}'
    return Spec.objects.create(
        prompt_revision=revision,
        version=version,
        **{"spec_id": _sha256(line), "line": line, "method": "hybrid", **values},
    )


def make_spec(
    prompt: Prompt, *criteria: str, constraints: tuple[dict[str, Any], ...] = (), **values: Any
) -> Spec:
    """A draft with one criterion per text (one when none is given) and the given constraints.

    Its line and hashes are unique, not canonical: a test of those makes its spec by the services.
    """
    spec = make_bare_spec(prompt, **values)
    for position, text in enumerate(criteria or ("Names the Moon as the cause.",)):
        make_criterion(spec, text, position=position)
    for position, constraint in enumerate(constraints):
        make_constraint(spec, position=position, **constraint)
    return spec


def make_criterion(spec: Spec, text: str, *, position: int = 0, **values: Any) -> Criterion:
    defaults = {"key": f"c{position + 1}", "weight": 1.0, "content_sha256": _sha256(text)}
    return Criterion.objects.create(
        spec=spec, position=position, text=text, **{**defaults, **values}
    )


def make_constraint(spec: Spec, *, position: int = 0, **values: Any) -> Constraint:
    defaults = {"origin": Constraint.Origin.GIVEN, "content_sha256": _sha256(repr(values))}
    return Constraint.objects.create(spec=spec, position=position, **{**defaults, **values})


def make_call(project: Project, **values: Any) -> Call:
    """An attempt whose texts were never stored."""
    defaults = {
        "at": timezone.now(),
        "endpoint_id": 1,
        "role": "rubric",
        "template_version_id": 1,
        "slots": {},
        "body_sha256": _sha256("body"),
        "request_sha256": _sha256("request"),
    }
    return Call.objects.create(project_id=project.pk, **{**defaults, **values})


def make_endpoint(**values: Any) -> ModelEndpoint:
    defaults = {
        "name": f"endpoint{next(_numbers)}",
        "url": "http://127.0.0.1:9/v1",
        "backend": ModelEndpoint.Backend.OPENAI,
    }
    return ModelEndpoint.objects.create(**{**defaults, **values})


def make_run(project: Project, **values: Any) -> JudgeRun:
    defaults = {"judge": {"model": "test"}, "judge_sha256": _sha256("test"), "expected": 0}
    number = accounts.allocate_numbers(project=project, kind="run")[0]
    return JudgeRun.objects.create(project=project, number=number, **{**defaults, **values})


def make_shard(run: JudgeRun, *pairs: tuple[Rollout, Spec], **values: Any) -> Shard:
    """A shard of the run over the given (rollout, spec) pairs."""
    cells = sum(spec.criteria.count() + 1 for _rollout, spec in pairs)
    defaults = {"enqueued_at": timezone.now(), "cells": cells}
    shard = Shard.objects.create(run=run, position=run.shards.count(), **{**defaults, **values})
    for rollout, spec in pairs:
        RunRollout.objects.create(run=run, shard=shard, rollout=rollout, spec=spec)
    return shard


def make_verdict(run: JudgeRun, rollout: Rollout, criterion: Criterion, **values: Any) -> Verdict:
    defaults = {"state": "scored", "answer": "yes", "score": 1.0}
    return Verdict.objects.create(
        run=run, rollout=rollout, criterion=criterion, **{**defaults, **values}
    )


def make_config(project: Project, **values: Any) -> RewardConfig:
    version = project.reward_configs.count() + 1
    defaults = {"name": "default", "aggregator": "hybrid", "settings": {}, "version": version}
    sha256 = _sha256(f"config {next(_numbers)}")
    return RewardConfig.objects.create(project=project, sha256=sha256, **{**defaults, **values})


def make_reward_run(run: JudgeRun, **values: Any) -> RewardRun:
    """A reward run over the verdicts of one judge run."""
    return RewardRun.objects.create(
        project=run.project,
        number=accounts.allocate_numbers(project=run.project, kind="reward_run")[0],
        judge_run=run,
        inputs_sha256=_sha256(f"inputs {next(_numbers)}"),
        **{"config": values.pop("config", None) or make_config(run.project), **values},
    )


def make_bundle(project: Project, **values: Any) -> Bundle:
    """A bundle whose only files are `README.md` and an empty manifest."""
    number = accounts.allocate_numbers(project=project, kind="bundle")[0]
    bundle = Bundle.objects.create(
        project=project,
        number=number,
        version=number,
        bundle_id=_sha256(f"bundle {next(_numbers)}"),
        name="bundle",
        manifest={},
        **{"config": values.pop("config", None) or make_config(project), **values},
    )
    for path, data in (("README.md", b"A frozen bundle."), ("manifest.json", b"{}")):
        make_bundle_file(bundle, path, data)
    return bundle


def make_bundle_file(bundle: Bundle, path: str, data: bytes) -> BundleFile:
    sha256 = hashlib.sha256(data).hexdigest()
    file = BundleFile.objects.create(bundle=bundle, path=path, sha256=sha256, size=len(data))
    for position, start in enumerate(range(0, len(data), BundleChunk.SIZE)):
        piece = data[start : start + BundleChunk.SIZE]
        BundleChunk.objects.create(file=file, position=position, data=piece)
    return file
