"""A project goes out as one file and comes in as the same project."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection

from apps.accounts import selectors as accounts
from apps.accounts.models import Project, User
from apps.activity.errors import BadInput, Conflict
from apps.activity.models import AuditEvent, Job
from apps.bundles.models import Bundle
from apps.calls import services as calls
from apps.calls.models import Call, ModelEndpoint, ModelRole, Text
from apps.judging.models import JudgeRun, Shard, Verdict
from apps.prompts.models import PromptRevision
from apps.rewards.models import Reward
from apps.specs.models import Spec
from apps.studio import services
from apps.studio.services.transfer.plan import NOT_CARRIED, TABLES, Plan, rows_of
from tests.apps.studio.whole import make_whole
from tests.factories import make_project, make_run, make_shard, make_user

pytestmark = pytest.mark.django_db


# The trail begins anew, and versions of templates say when they came in.
OWN_THERE = ("trail.jsonl", "calls.templateversion.jsonl")


@pytest.fixture
def whole(settings, tmp_path) -> Project:
    settings.ENCRYPTION_KEY_FILE = tmp_path / "endpoint.key"
    return make_whole()


@pytest.fixture
def file(whole: Project, tmp_path: Path) -> Path:
    path = tmp_path / "tides.zip"
    services.export_to(path, whole)
    return path


def count(table, project: Project) -> int:
    with connection.cursor() as cursor:
        mine = rows_of(table, project)
        cursor.execute(f"SELECT count(*) FROM {table.rows} WHERE {mine}")  # noqa: S608
        return int(cursor.fetchone()[0])


def manifest(path: Path) -> dict:
    with services.ProjectFile(path) as opened:
        return opened.manifest


def spec_ids(project: Project) -> list[str]:
    specs = Spec.objects.filter(prompt_revision__prompt__project=project).order_by("pk")
    return list(specs.values_list("spec_id", flat=True))


def test_every_table_with_rows_of_a_project_is_carried_or_says_why_not():
    carried = {table.name for table in TABLES}
    owned = {
        model._meta.label_lower
        for model in apps.get_models()
        if model.__module__.startswith("apps.") and _leads_to_a_project(model)
    }

    assert owned - carried - set(NOT_CARRIED) == set()


def _leads_to_a_project(model, seen=()) -> bool:
    if model is Project or model in seen:
        return model is Project
    columns = {field.attname for field in model._meta.concrete_fields}
    above = [field.related_model for field in model._meta.concrete_fields if field.is_relation]
    return "project_id" in columns or any(
        _leads_to_a_project(one, (*seen, model)) for one in above if one is not User
    )


def test_a_copy_carries_all_that_its_tables_must_refer_to():
    plan = Plan.of_copy()
    missing = [
        (table.name, field.name)
        for table in plan.tables
        for field in table.carried
        if field.related_model not in (None, User)
        and not field.null
        and not plan.is_numbered(field.related_model)
    ]

    assert missing == []


def test_every_column_of_an_endpoint_is_carried_but_its_key_and_what_is_decided_anew(file):
    with services.ProjectFile(file) as opened:
        carried = set(next(opened.lines("calls.modelendpoint.jsonl")))

    columns = {field.attname for field in ModelEndpoint._meta.concrete_fields}
    assert columns - carried == {
        *("project_id", "api_key_encrypted", "origin", "disabled_at", "created_at")
    }


def test_the_test_project_has_rows_in_every_table(whole):
    assert [table.name for table in TABLES if not count(table, whole)] == []


def test_what_came_in_goes_out_again_byte_for_byte(file, tmp_path):
    imported = services.import_project(file, slug="sea")
    again = tmp_path / "again.zip"
    services.export_to(again, imported.project)

    first, second = manifest(file), manifest(again)
    differ = [
        (one["path"], one["rows"], other["rows"])
        for one, other in zip(first["files"], second["files"], strict=True)
        if one["sha256"] != other["sha256"] and one["path"] not in OWN_THERE
    ]
    assert differ == []
    assert first["content_sha256"] == second["content_sha256"]


def test_every_row_of_every_table_came_in(whole, file):
    imported = services.import_project(file, slug="sea")

    assert {table.name: count(table, imported.project) for table in TABLES} == {
        table.name: count(table, whole) for table in TABLES
    }


def test_specs_and_bundles_keep_their_ids(whole, file):
    sea = services.import_project(file, slug="sea").project

    ids = list(Bundle.objects.filter(project=whole).values_list("bundle_id", flat=True))
    assert spec_ids(sea) == spec_ids(whole)
    assert list(Bundle.objects.filter(project=sea).values_list("bundle_id", flat=True)) == ids


def test_references_lead_to_the_rows_that_came_in(whole, file):
    sea = services.import_project(file, slug="sea").project

    verdict = Verdict.objects.filter(run__project=sea, call_id__isnull=False).first()
    assert verdict is not None
    assert verdict.call_id is not None
    assert verdict.rollout.project == sea
    assert Call.objects.get(pk=verdict.call_id).project_id == sea.pk
    spec = Spec.objects.filter(prompt_revision__prompt__project=sea).earliest("pk")
    asked = spec.provenance["asked"]["rubric"]["calls"]
    assert list(Call.objects.filter(project_id=sea.pk).values_list("pk", flat=True)) == asked
    newest = Spec.objects.filter(prompt_revision__prompt__project=sea).latest("pk")
    assert newest.provenance["edited_from"] == newest.parent_id
    run = JudgeRun.objects.filter(project=sea).latest("number")
    assert run.job is not None
    assert run.job.arguments == {"run_id": run.pk}


def test_requests_of_the_calls_can_still_be_rebuilt(whole, file):
    sea = services.import_project(file, slug="sea").project

    before = Call.objects.filter(project_id=whole.pk).order_by("pk")
    after = Call.objects.filter(project_id=sea.pk).order_by("pk")
    assert [calls.rebuild_request(one) for one in after] == [
        calls.rebuild_request(one) for one in before
    ]


def test_where_nobody_is_known_people_come_in_switched_off_and_nobody_is_a_member(file, whole):
    _forget_everything(whole)

    imported = services.import_project(file, slug="tides", actor=make_user("root"))

    assert imported.people == ("tides-author", "tides-reviewer")
    assert not User.objects.filter(username__in=imported.people, is_active=True).exists()
    assert [one.user.username for one in accounts.members_of(imported.project)] == ["root"]
    spec = Spec.objects.filter(state="frozen").first()
    assert spec is not None
    assert (spec.author.username, spec.approved_by.username) == imported.people  # type: ignore[union-attr]


def test_into_another_installation_endpoints_come_without_keys(file, whole):
    _forget_everything(whole)

    sea = services.import_project(file, slug="sea").project

    own = ModelEndpoint.objects.get(project=sea, name="own")
    other = ModelEndpoint.objects.exclude(pk=own.pk).get()
    assert (own.url, bytes(own.api_key_encrypted)) == ("http://own/v1", b"")
    assert (other.url, other.disabled_at is None) == ("", False)
    assert calls.rebuild_request(Call.objects.latest("pk"))


def _forget_everything(project: Project) -> None:
    """As on an installation where none of it was ever seen."""
    root = make_user("somebody")
    for job in Job.objects.filter(state__in=["queued", "running"]):
        Job.objects.filter(pk=job.pk).update(state="cancelled", finished_at=job.created_at)
    job = services.start_deletion(project=project, reason="a test", actor=root)
    services.purge_project(project_id=job.arguments["project_id"], told=lambda _rows: None)
    ModelRole.objects.all().delete()
    ModelEndpoint.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = 'replica'")
        cursor.execute("DELETE FROM activity_auditevent; DELETE FROM activity_job")
        cursor.execute("DELETE FROM accounts_project")
        cursor.execute("DELETE FROM accounts_user WHERE username LIKE 'tides-%'")
        cursor.execute("DELETE FROM calls_templateversion; DELETE FROM calls_template")
        cursor.execute("SET session_replication_role = 'origin'")


def test_the_trail_says_where_it_came_from(file):
    sea = services.import_project(file, slug="sea").project

    event = AuditEvent.objects.get(project=sea, verb="project.imported")
    assert event.detail["from"] == "tides"
    assert event.detail["content_sha256"] == manifest(file)["content_sha256"]


def test_what_was_under_way_stands_still_where_it_comes_in(whole, tmp_path):
    rollout = Verdict.objects.filter(run__project=whole).first()
    assert rollout is not None
    spec = Spec.objects.filter(prompt_revision=rollout.rollout.prompt_revision).earliest("pk")
    run = make_run(whole, state="queued")
    make_shard(run, (rollout.rollout, spec))
    path = tmp_path / "tides.zip"
    services.export_to(path, whole)

    sea = services.import_project(path, slug="sea").project

    came = JudgeRun.objects.get(project=sea, number=run.number)
    assert (came.state, came.block_cause) == ("paused", "imported")
    assert Shard.objects.get(run=came).enqueued_at is None


def test_a_taken_name_is_refused_and_nothing_is_left(file):
    before = PromptRevision.objects.count()

    with pytest.raises(Conflict, match="taken"):
        services.import_project(file, slug="tides")

    assert PromptRevision.objects.count() == before


def tampered(file: Path, name: str, change) -> Path:
    """The same zip with one file changed, its hash in the manifest too."""
    path = file.with_name(f"{file.stem}-.zip")
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(path, "w") as new:
        for one in old.namelist():
            data = old.read(one)
            new.writestr(one, change(data) if one == name else data)
    return path


def test_a_changed_byte_is_found(file):
    path = tampered(file, "prompts.prompt.jsonl", lambda data: data.replace(b"tides", b"tidez"))

    with pytest.raises(BadInput, match=r"prompts\.prompt\.jsonl .* not what the manifest lists"):
        services.import_project(path, slug="sea")


def with_hash(file: Path, name: str, change) -> Path:
    """Changed by somebody who knows about the hashes."""
    from rubricstudio.core.canonical import sha256_hex

    changed = {}

    def change_and_note(data: bytes) -> bytes:
        changed["data"] = change(data)
        return bytes(changed["data"])

    path = tampered(file, name, change_and_note)
    said = manifest(file)
    for one in said["files"]:
        if one["path"] == name:
            one["sha256"] = sha256_hex(changed["data"])
            one["rows"] = changed["data"].count(b"\n")
    told = json.dumps(said).encode()
    return tampered(path, "manifest.json", lambda _data: told)


@pytest.mark.parametrize(
    ("name", "before", "after", "reason"),
    [
        ("specs.spec.jsonl", b'"spec_id":"', b'"spec_id":"0', "does not fit|not what its id names"),
        ("bundles.bundlefile.jsonl", b'"path":"specs', b'"path":"../../x', "outside of it"),
        ("bundles.bundlefile.jsonl", b'"path":"specs', b'"path":"OTHER', "not the one"),
        ("calls.text.jsonl", b"the answer of", b"another answer of", "not the one that its hash"),
        ("judging.verdict.jsonl", b'"rollout_id":1,', b'"rollout_id":99,', "does not fit|missing"),
        ("judging.verdict.jsonl", b'"score":1', b'"score":"x"', "does not fit"),
        ("prompts.prompt.jsonl", b'"id":1,', b'"id":null,', "does not fit|of which"),
        ("prompts.prompt.jsonl", b"{", b"[", "does not fit"),
        ("calls.templateversion.jsonl", b'"text":"', b'"text":"x', "hash names"),
    ],
)
def test_a_file_that_somebody_forged_is_refused_with_a_sentence(file, name, before, after, reason):
    path = with_hash(file, name, lambda data: data.replace(before, after))

    with pytest.raises(BadInput, match=reason):
        services.import_project(path, slug="sea")

    assert not Project.objects.filter(slug="sea").exists()


@pytest.mark.parametrize("cut", [0, 10, 1000, -100])
def test_a_download_that_broke_off_is_told(file, cut):
    path = file.with_name("cut.zip")
    path.write_bytes(file.read_bytes()[:cut])

    with pytest.raises(BadInput, match="no export of a project"):
        services.import_project(path, slug="sea")


def test_another_zip_is_told(tmp_path):
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")

    with pytest.raises(BadInput, match=r"manifest\.json"):
        services.import_project(path, slug="sea")


def test_a_file_of_a_newer_version_says_to_update(file):
    said = manifest(file)
    for one in said["files"]:
        if one["path"] == "prompts.prompt.jsonl":
            one["columns"].append("colour")
    path = tampered(file, "manifest.json", lambda _data: json.dumps(said).encode())

    with pytest.raises(BadInput, match=r"colour.*update"):
        services.import_project(path, slug="sea")


def test_a_copy_has_prompts_and_specs_and_nothing_that_answered(whole):
    actor = make_user("copier")

    copied = services.copy_project(project=whole, slug="sea", name="Sea", actor=actor).project

    assert spec_ids(copied) == spec_ids(whole)
    states = set(Spec.objects.filter(prompt_revision__prompt__project=copied).values_list("state"))
    assert states == {("candidate",), ("draft",)}
    empty = [table.name for table in TABLES if not count(table, copied)]
    assert {"rollouts.rollout", "judging.verdict", "calls.call", "bundles.bundle"} <= set(empty)
    assert [one.user for one in accounts.members_of(copied)] == [actor]
    kinds = set(copied.counters.values_list("kind", flat=True))
    assert kinds == {"import", "prompt", "spec"}
    assert set(copied.imports.values_list("kind", flat=True)) == {"prompts"}
    own = ModelEndpoint.objects.get(project=copied)
    assert bytes(own.api_key_encrypted) == b"a secret"
    asked = Spec.objects.filter(prompt_revision__prompt__project=copied).earliest("pk").provenance
    assert asked["asked"]["rubric"]["calls"] == []


def test_an_empty_project_goes_out_and_in(tmp_path):
    path = tmp_path / "empty.zip"
    services.export_to(path, make_project("empty"))

    assert services.import_project(path, slug="sea").rows == 0


def test_texts_of_another_project_are_not_carried(whole, tmp_path):
    make_whole("other")
    path = tmp_path / "tides.zip"
    services.export_to(path, whole)

    with services.ProjectFile(path) as opened:
        texts = [row["text"] for row in opened.lines("calls.text.jsonl")]
    assert any("answer of tides" in (text or "") for text in texts)
    assert not any("answer of other" in (text or "") for text in texts)
    assert Text.objects.count() > len(texts)
    assert Reward.objects.exists()
