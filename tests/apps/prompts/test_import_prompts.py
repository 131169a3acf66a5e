"""What an import of prompts does with new, identical, changed and bad rows."""

import hashlib
import json

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.activity.errors import BadInput
from apps.activity.models import AuditEvent
from apps.prompts.models import Domain, Import, Passage, Prompt, PromptRevision, Reject
from apps.prompts.services import ImportFile, import_prompts, pipeline
from rubricstudio.core.canonical import canonical_hash
from rubricstudio.core.types import Message, messages_hash
from tests.factories import make_project, make_user, newest

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project()


@pytest.fixture
def take(project, save):
    """Imports rows or bytes into the project and gives the result."""

    def import_file(content, name="file.jsonl", *, dry_run=False, actor=None, **said):
        file = ImportFile(save(content, name), **said)
        return import_prompts(project, file, dry_run=dry_run, actor=actor)

    return import_file


def counts(result):
    return tuple(result.tally.counts().values())


def texts(prompt):
    revisions = prompt.revisions.order_by("revision").values_list("messages", flat=True)
    return [messages[-1]["content"] for messages in revisions]


def test_new_prompts_have_numbers_in_the_order_of_the_file(take, project):
    result = take([{"id": "b", "prompt": "Two?"}, {"id": "a", "prompt": "One?"}])

    assert counts(result) == (2, 0, 0, 0)
    assert list(project.prompts.order_by("number").values_list("number", "key")) == [
        (1, "b"),
        (2, "a"),
    ]


def test_a_revision_holds_everything_and_its_hashes(take, project):
    take([{"id": 1, "prompt": "Why  is\n it?", "level": 2.0, "reference": "So.", "context": "C."}])

    revision = project.prompts.get().current
    messages = [{"role": "user", "content": "Why  is\n it?"}]
    assert (revision.messages, revision.columns) == (messages, {"level": 2})
    assert (revision.excerpt, revision.characters) == ("Why  is\n it?", 12)
    assert revision.text_sha256 == _sha256("Why is it?")
    assert revision.content_sha256 == canonical_hash(
        {
            "columns": {"level": 2},
            "given": {},
            "messages": messages,
            "passages": [["", "C.", ""]],
            "references": ["So."],
            "tools": [],
        }
    )
    assert [passage.text for passage in revision.passages.all()] == ["C."]
    assert [reference.text for reference in revision.references.all()] == ["So."]


def _sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_prompt_without_an_id_is_known_by_the_hash_of_its_messages(take, project):
    take([{"prompt": "Why?", "note": "x"}])

    prompt = project.prompts.get()
    message = Message.from_dict({"role": "user", "content": "Why?"})
    assert (prompt.key, prompt.has_external_id) == (messages_hash([message]), False)


def test_importing_a_file_twice_changes_nothing(take, project):
    rows = [{"id": n, "prompt": f"Why {n}?"} for n in range(5)]

    assert counts(take(rows)) == (5, 0, 0, 0)
    assert counts(take(rows)) == (0, 5, 0, 0)
    assert PromptRevision.objects.filter(prompt__project=project).count() == 5


def test_a_changed_row_becomes_the_next_revision(take, project):
    take([{"id": 1, "prompt": "Old?"}])
    old = project.prompts.get().current

    assert counts(take([{"id": 1, "prompt": "New?"}])) == (0, 0, 1, 0)

    prompt = project.prompts.get()
    assert texts(prompt) == ["Old?", "New?"]
    assert (prompt.current.revision, old.revision) == (2, 1)


def test_going_back_to_an_earlier_text_is_a_change(take, project):
    for text in ("Old?", "New?", "Old?"):
        take([{"id": 1, "prompt": text}])

    assert texts(project.prompts.get()) == ["Old?", "New?", "Old?"]


@pytest.mark.parametrize("batch", [1, 2, 2000])
def test_a_row_repeated_in_one_file_counts_as_identical(take, monkeypatch, batch):
    monkeypatch.setattr(pipeline, "BATCH_ROWS", batch)
    row, other = {"id": 1, "prompt": "Why?"}, {"id": 2, "prompt": "How?"}

    assert counts(take([row, other, row, row])) == (2, 2, 0, 0)


@pytest.mark.parametrize("batch", [1, 2, 2000])
def test_an_id_that_a_file_gives_two_texts_ends_with_the_last(take, project, monkeypatch, batch):
    monkeypatch.setattr(pipeline, "BATCH_ROWS", batch)
    rows = [{"id": 1, "prompt": text} for text in ("A?", "B?", "A?")]

    first, second = take(rows), take(rows)

    assert (counts(first), counts(second)) == ((1, 0, 2, 0), (0, 3, 0, 0))
    assert texts(project.prompts.get()) == ["A?", "B?", "A?"]
    assert "2 rows give a prompt of this file again" in first.tally.notes[0]
    assert "line 2 (1)" in first.tally.notes[0]


def test_a_file_with_two_texts_for_an_id_still_wins_over_another_file(take, project):
    rows = [{"id": 1, "prompt": text} for text in ("A?", "B?")]
    take(rows)
    take([{"id": 1, "prompt": "other"}])

    assert counts(take(rows)) == (0, 0, 2, 0)
    assert counts(take(rows)) == (0, 2, 0, 0)
    assert texts(project.prompts.get())[-1] == "B?"


def test_a_file_read_in_another_way_is_another_file(take, project):
    rows = [{"id": 1, "prompt": "A?", "note": "B?"}]

    for column in ("prompt", "note", "prompt"):
        take(rows, columns={"prompt": column})

    assert texts(project.prompts.get()) == ["A?", "B?", "A?"]


@given(
    files=st.lists(
        st.lists(st.tuples(st.integers(1, 3), st.sampled_from("ABC")), min_size=1, max_size=6),
        min_size=1,
        max_size=4,
    ),
    batch=st.integers(1, 4),
)
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_whatever_is_imported_the_last_text_of_the_last_file_counts(save, files, batch):
    project = make_project()
    pipeline_rows = pipeline.BATCH_ROWS
    pipeline.BATCH_ROWS = batch
    try:
        for file in files:
            rows = [{"id": key, "prompt": text} for key, text in file]
            import_prompts(project, ImportFile(save(rows)))
            again = import_prompts(project, ImportFile(save(rows)))
            assert counts(again) == (0, len(rows), 0, 0)
    finally:
        pipeline.BATCH_ROWS = pipeline_rows

    expected = {str(key): text for file in files for key, text in file}
    found = {prompt.key: texts(prompt)[-1] for prompt in project.prompts.all()}
    assert found == expected
    assert all(newest(one).revision == one.revisions.count() for one in project.prompts.all())


def test_bad_rows_are_listed_and_the_rest_is_imported(take, project):
    result = take(b'{"prompt": "a"}\n{"prompt": }\n{"prompt": null}\n{"prompt": "b"}\n')

    assert counts(result) == (2, 0, 0, 2)
    assert list(Reject.objects.filter(source=result.record).values_list("line", "column")) == [
        (2, 12),
        (3, None),
    ]
    assert [reject.reason for reject in result.tally.rejects] == [
        "not valid JSON: Expecting value",
        "the prompt is null.",
    ]


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": "a\x00b"},
        {"prompt": "a", "note": "x\x00"},
        {"prompt": "a", "\x00": 1},
        {"prompt": "a", "deep": [{"x": ["\x00"]}]},
        {"prompt": "a", "context": ["\x00"]},
        {"prompt": "a", "reference": "\x00"},
    ],
)
def test_a_nul_character_rejects_its_row_by_a_sentence(take, row):
    result = take([row, {"prompt": "good"}])

    assert counts(result) == (1, 0, 0, 1)
    assert "holds a NUL character, which no database keeps" in result.tally.rejects[0].reason


@pytest.mark.parametrize("name", ["\x00", "\ud800"])
def test_a_bad_name_of_a_column_can_be_told(take, name):
    result = take(json.dumps({name: 1}) + "\n")

    assert counts(result) == (0, 0, 0, 1)
    assert result.record.rejects.get().reason.startswith("no column holds a prompt")


@pytest.mark.parametrize("key", ["prompt", "note", "context", "reference"])
def test_half_of_a_surrogate_pair_rejects_its_row_by_a_sentence(take, key):
    row = json.dumps({"prompt": "a", key: "x\ud800"})

    result = take(row + '\n{"prompt": "good \\ud83d\\ude00"}\n')

    assert counts(result) == (1, 0, 0, 1)
    assert "surrogate" in result.tally.rejects[0].reason


def test_the_text_that_spells_a_nul_is_no_nul(take, project):
    take([{"prompt": "a \\u0000 b"}])

    assert project.prompts.get().current.excerpt == "a \\u0000 b"


def test_a_number_beyond_all_floats_rejects_its_row(take):
    result = take('{"prompt": "a", "n": 1e999}\n{"prompt": "b"}\n')

    assert counts(result) == (1, 0, 0, 1)


def test_texts_in_every_script_come_back_as_characters(take, project):
    text = "日本語 한국어 中文 العربية 👩🏽‍🚀 e\u0301 \u2028 \u202e"

    take([{"id": text, "prompt": text, text: text}])

    prompt = project.prompts.get()
    assert (prompt.key, prompt.current.columns) == (text, {text: text})
    assert prompt.current.messages[0]["content"] == text


def test_a_file_without_rows_leaves_nothing(take, project):
    with pytest.raises(BadInput, match="holds no rows"):
        take("id,prompt\n", "file.csv")

    assert not Import.objects.filter(project=project).exists()


def test_a_table_without_a_prompt_column_is_refused_as_a_whole(take, project):
    with pytest.raises(BadInput, match="no column holds a prompt"):
        take("id,story\n1,a\n2,b\n", "file.csv")

    assert not Import.objects.filter(project=project).exists()


def test_a_dry_run_counts_and_writes_nothing(take, project):
    take([{"id": 1, "prompt": "Old?"}])
    events = AuditEvent.objects.count()

    result = take([{"id": 1, "prompt": "New?"}, {"id": 2, "prompt": "b"}, {}], dry_run=True)

    assert (counts(result), result.record) == ((1, 0, 1, 1), None)
    assert texts(project.prompts.get()) == ["Old?"]
    assert (Import.objects.filter(project=project).count(), Reject.objects.count()) == (1, 0)
    assert AuditEvent.objects.count() == events


def test_the_record_of_an_import_says_where_it_came_from(take, project):
    actor = make_user()
    origin = {"licence": "MIT", "url": "https://example.org", "allowed_use": "research"}

    record = take([{"prompt": "a", "level": 1}], actor=actor, **origin).record

    record.refresh_from_db()
    assert (record.number, record.filename, record.format) == (1, "file.jsonl", "jsonl")
    assert (record.licence, record.allowed_use, record.created_by) == ("MIT", "research", actor)
    assert record.notes == ["Kept as columns: level."]
    assert (record.new, record.finished_at is not None) == (1, True)


def test_an_import_is_in_the_trail(take, project):
    record = take([{"prompt": "a"}, {}]).record

    event = AuditEvent.objects.get(verb="prompts.imported")
    assert (event.project, event.target_id) == (project, str(record.pk))
    assert (event.detail["new"], event.detail["rejected"]) == (1, 1)


@pytest.mark.parametrize("licence", ["x" * 101, "a\x00b"])
def test_an_origin_that_cannot_be_stored_is_refused(take, licence):
    with pytest.raises(BadInput, match="licence has at most 100 characters"):
        take([{"prompt": "a"}], licence=licence)


def test_domains_are_made_once_and_tags_kept(take, project):
    take([{"prompt": str(n), "domain": name, "tags": ["a"]} for n, name in enumerate("LLM法")])

    assert list(Domain.objects.order_by("pk").values_list("name", flat=True)) == ["L", "M", "法"]
    assert project.prompts.filter(domain__key="l", tags=["a"]).count() == 2


def test_what_people_set_on_a_prompt_outlives_an_import(take, project):
    take([{"id": 1, "prompt": "a", "split": "train"}])
    project.prompts.update(split="test")

    take([{"id": 1, "prompt": "b", "split": "train"}])

    assert project.prompts.get().split == "test"


def test_a_person_may_name_the_columns(take, project):
    result = take("no,Story\n7,Once.\n", "file.csv", columns={"prompt": "Story", "id": "no"})

    assert counts(result) == (1, 0, 0, 0)
    assert project.prompts.get().key == "7"


def test_a_part_that_does_not_exist_is_refused(take):
    with pytest.raises(BadInput, match="no part 'story'"):
        take([{"prompt": "a"}], columns={"story": "Story"})


def test_the_queries_of_a_batch_do_not_grow_with_the_project(
    take, project, django_assert_max_num_queries
):
    take([{"id": n, "prompt": str(n)} for n in range(300)])
    before = Passage.objects.count()

    with django_assert_max_num_queries(25, connection=connection):
        take([{"id": n, "prompt": f"new {n}"} for n in range(600)])

    assert Prompt.objects.filter(project=project).count() == 600
    assert Passage.objects.count() == before
