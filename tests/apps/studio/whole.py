"""A project with rows in every table of the five steps, some of them hard to keep."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.utils import timezone

from apps.accounts import services as accounts
from apps.accounts.models import Project, Role, User
from apps.activity import services as activity
from apps.activity.models import Job
from apps.bundles import services as bundles
from apps.calls import services as calls
from apps.calls.models import ModelRole, Template, TemplateVersion
from apps.judging.models import Comparison, JudgeRun, RunSet, Verdict
from apps.judging.services import run_checks
from apps.judging.services.runs import TASK
from apps.prompts.models import PromptRevision
from apps.prompts.services import ImportFile, import_prompts
from apps.rewards.services import compute_rewards, config_named
from apps.rollouts.models import Rollout
from apps.rollouts.services import import_rollouts
from apps.specs.models import CheckerRecord, Spec, SpecFailure
from apps.specs.services import approve_all
from apps.specs.services.drafts import Draft, draft_constraints
from apps.specs.services.saving import save_draft
from rubricstudio.core.canonical import sha256_hex
from rubricstudio.core.types import Constraint
from tests import factories
from tests.apps.calls.conftest import make_record
from tests.apps.rewards.world import criteria

TIDES = {
    "id": "tides",
    "prompt": "Why are there tides?\nשלום 你好 🌊",
    "domain": "Sea",
    "tags": ["a", "b"],
    "number": 1.10,
    "passages": [{"title": "T", "text": "The Moon pulls."}],
    "references": ["The Moon."],
}
PROMPTS = [TIDES, {"id": "salt", "prompt": "Why is the sea salty?"}, {"id": "broken"}]
ROLLOUTS = [
    {"prompt_id": "tides", "response": "The \\ pulls\tit.", "policy": "one", "score": 1e-7},
    {"prompt_id": "tides", "response": "\u2028Because.", "policy": "two", "step": 3},
    {"prompt_id": "salt", "response": "Rivers bring it.", "policy": "one"},
]
MODEL = {
    "LLM_BASE_URL": "http://127.0.0.1:9/v1",
    "LLM_MODEL": "a-real-judge",
    "LLM_BACKEND": "vllm",
}


def make_whole(slug: str = "tides") -> Project:
    """The project; its people are author, reviewer and admin of that slug."""
    project = factories.make_project(slug, name="Tides", description="D", guidelines="G")
    author = factories.make_member(project, Role.AUTHOR, user=_person(f"{slug}-author"))
    reviewer = factories.make_member(project, Role.REVIEWER, user=_person(f"{slug}-reviewer"))
    endpoint = calls.seed_models(MODEL)
    assert endpoint is not None
    _own_model(project, author)
    _import(project, author)
    job = _job(project, author)
    ids = _calls(project, job, endpoint.pk)
    for revision in PromptRevision.objects.filter(prompt__project=project).order_by("pk"):
        _spec(revision, ids, author, job)
    revision = PromptRevision.objects.filter(prompt__project=project).latest("pk")
    SpecFailure.objects.create(job=job, prompt_revision=revision, cause="timeout", reason="slow")
    _judge(project, ids, author)
    run_checks(project=project, requested_by=author)
    CheckerRecord.objects.create(
        project=project, code_sha256="c" * 64, passed=3, released_by=author
    )
    approve_all(project, actor=reviewer)
    config = config_named(project=project, name="default")
    compute_rewards(project=project, config=config, requested_by=author)
    bundles.freeze(project=project, config=config, waive="a test", actor=author)
    _second_version(project, author)
    return project


def _person(name: str) -> User:
    return User.objects.filter(username=name).first() or factories.make_user(name, display_name="P")


def _own_model(project: Project, author: User) -> None:
    own = factories.make_endpoint(project=project, name="own", url="http://own/v1")
    own.api_key_encrypted = b"a secret"
    own.save(update_fields=["api_key_encrypted"])
    ModelRole.objects.create(project=project, role="label", endpoint=own, model="small")
    text = "=== user ===\nOwn {prompt}"
    TemplateVersion.objects.create(
        template=Template.objects.create(project=project, name="label"),
        version=1,
        text=text,
        sha256=sha256_hex(text.encode()),
        author=author,
    )


def _import(project: Project, author: User) -> None:
    with TemporaryDirectory() as place:
        for name, rows, take in (
            ("prompts.jsonl", PROMPTS, import_prompts),
            ("rollouts.jsonl", ROLLOUTS, import_rollouts),
        ):
            file = Path(place) / name
            file.write_text("\n".join(map(json.dumps, rows)))
            options: dict[str, Any] = {"policy": "none"} if take is import_rollouts else {}
            take(project, ImportFile(file, licence="CC0-1.0"), actor=author, **options)


def _job(project: Project, author: User) -> Job:
    job = activity.create_job(
        kind="make_specs",
        task="apps.specs.tasks.make_specs",
        arguments={"method": "model"},
        project=project,
        requested_by=author,
    )
    activity.start_job(job=job, worker="one")
    activity.finish_job(job=job, result={"specs": 2})
    return job


def _calls(project: Project, job: Job, endpoint: int) -> list[int]:
    asker = calls.Asker(endpoint_id=endpoint, role="rubric", project_id=project.pk, job_id=job.pk)
    records = [
        make_record(prompt="a long text " * 20, attempt=1, content=None),
        make_record(prompt="half a pair \ud83d, with \0", content="the answer of " + project.slug),
    ]
    ids = calls.store_calls(records, asker=asker, parsed=[None, {"x": [1.5]}])
    calls.drop_payloads(project=project, before=datetime(2020, 1, 1, tzinfo=UTC))
    return ids


def _spec(revision: PromptRevision, ids: list[int], author: User, job: Job) -> Spec:
    return save_draft(
        revision,
        draft=Draft(
            criteria=criteria({"cause": 5, "plain": 0.1}),
            constraints=draft_constraints(
                [Constraint("word_count", {"op": "le", "value": 100})], origin="given"
            ),
            method="model",
            provenance={"asked": {"rubric": {"calls": ids, "flags": []}, "label": {}}, "n": 1.10},
        ),
        author=author,
        job=job,
    )


def _judge(project: Project, ids: list[int], author: User) -> None:
    run_set = RunSet.objects.create(project=project, name="twice")
    parent = factories.make_run(
        project,
        run_set=run_set,
        requested_by=author,
        state="done",
        finished_at=timezone.now(),
        judge={"judge": {"model": "x"}},
    )
    run = factories.make_run(project, parent=parent, scope="failed", requested_by=author)
    over, paused = _judging(parent), _judging(run)
    activity.start_job(job=over, worker="one")
    activity.finish_job(job=over, result={})
    JudgeRun.objects.filter(pk=run.pk).update(state="paused", block_reason="stopped")
    activity.pause_job(job=paused)
    _verdicts(project, parent, ids)


def _judging(run: JudgeRun) -> Job:
    run.job = activity.create_job(
        kind="judge", task=TASK, arguments={"run_id": run.pk}, project=run.project
    )
    run.save(update_fields=["job"])
    return run.job


def _verdicts(project: Project, run: JudgeRun, ids: list[int]) -> None:
    rollouts = list(Rollout.objects.filter(project=project).order_by("pk"))
    pairs = [(one, Spec.objects.get(prompt_revision=one.prompt_revision)) for one in rollouts]
    factories.make_shard(run, *pairs, state="done", finished_at=timezone.now())
    for rollout, spec in pairs:
        for place, criterion in enumerate(spec.criteria.all()):
            call = ids[place % 2]
            factories.make_verdict(run, rollout, criterion, call_id=call, evidence="“because”")
        Verdict.objects.create(run=run, rollout=rollout, state="unscored", reason="refused")
    Comparison.objects.create(
        run=run,
        first=rollouts[0],
        second=rollouts[1],
        order="ab",
        state="scored",
        score=-1.5,
        call_id=ids[1],
    )


def _second_version(project: Project, author: User) -> None:
    """What was edited since: a parent, the id of a spec in its provenance, a retracted state."""
    spec = Spec.objects.filter(prompt_revision__prompt__project=project).earliest("pk")
    save_draft(
        spec.prompt_revision,
        draft=Draft(
            criteria=criteria({"cause": 4}), method="model", provenance={"edited_from": spec.pk}
        ),
        parent=spec,
        author=author,
    )
    accounts.create_token(project=project, name="t", scopes=["score"])
    accounts.create_invitation(project=project, roles=["author"])
    activity.save_draft(user=author, project=project, key="settings", body={}, version=0)
