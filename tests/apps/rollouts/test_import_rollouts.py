"""What an import of rollouts does with new, identical, changed and unmatched rows."""

import pytest
from django.db import connection

from apps.activity.errors import BadInput
from apps.activity.models import AuditEvent
from apps.prompts.models import Import, Reject
from apps.prompts.services import ImportFile, import_prompts, pipeline
from apps.rollouts.models import Batch, Policy, Rollout, RolloutGroup
from apps.rollouts.services import import_rollouts
from rubricstudio.core.types import Message, messages_hash
from tests.factories import make_project, make_prompt, make_revision

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    project = make_project()
    for key, text in (("a", "Why  is\nit?"), ("b", "How?"), ("c", "When?")):
        make_prompt(project, text, key=key)
    return project


@pytest.fixture
def take(project, save):
    """Imports rows or bytes into the project and gives the result."""

    def import_file(content, name="file.jsonl", *, policy="p", dry_run=False):
        file = ImportFile(save(content, name))
        return import_rollouts(project, file, policy=policy, dry_run=dry_run)

    return import_file


def counts(result):
    return tuple(result.tally.counts().values())


def whose():
    """The key of the prompt of every rollout, in the order of the file."""
    rollouts = Rollout.objects.order_by("number")
    return list(rollouts.values_list("prompt_revision__prompt__key", flat=True))


def reasons(result):
    return [reject.reason for reject in result.tally.rejects]


def test_a_rollout_belongs_to_the_prompt_that_its_id_names(take):
    result = take([{"prompt_id": "b", "response": "So."}, {"key": "a", "response": "So."}])

    assert counts(result) == (2, 0, 0, 0)
    assert whose() == ["b", "a"]


def test_a_rollout_without_an_id_belongs_to_the_prompt_of_its_text_with_white_space_folded(take):
    take([{"prompt": " Why is it? ", "response": "So."}, {"prompt": "How?", "response": "So."}])

    assert whose() == ["a", "b"]


def test_a_prompt_in_a_chat_template_is_found(take):
    take([{"input": "<|im_start|>user\nHow?<|im_end|>\n", "output": "So."}])

    assert whose() == ["b"]


def test_a_plain_id_that_contradicts_the_text_is_not_trusted(take):
    result = take(
        [
            {"id": "a", "prompt": "How?", "response": "So."},
            {"id": "a", "prompt": "Never seen.", "response": "So."},
            {"prompt_id": "a", "prompt": "template: Why?", "response": "So."},
        ]
    )

    assert whose() == ["b", "a"]
    assert reasons(result) == ["no prompt of this project has the id 'a' and this text."]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"prompt_id": "x"}, "no prompt of this project has the id 'x'."),
        ({"prompt": "Never seen."}, "no prompt of this project has this text."),
        ({}, "no column tells which prompt this answers: add prompt_id or prompt."),
    ],
)
def test_what_matches_no_prompt_is_rejected_by_a_sentence_and_listed(take, row, reason):
    result = take([{**row, "response": "So."}, {"prompt_id": "a", "response": "So."}])

    assert (counts(result), reasons(result)) == ((1, 0, 0, 1), [reason])
    assert Reject.objects.get().line == 1


def test_a_text_of_two_prompts_needs_an_id(take, project):
    make_prompt(project, "How?", key="d")

    result = take([{"prompt": "How?", "response": "So."}])

    assert reasons(result) == ["2 prompts have this text (b, d): name one by prompt_id."]


def test_a_prompt_of_another_project_is_not_found(take):
    make_prompt(make_project(), "Elsewhere?", key="e")

    result = take([{"prompt": "Elsewhere?", "response": "x"}, {"key": "e", "response": "x"}])

    assert counts(result) == (0, 0, 0, 2)


def test_a_rollout_belongs_to_the_current_revision(take, project):
    prompt = project.prompts.get(key="a")
    prompt.current = make_revision(prompt, "Why, then?")
    prompt.save(update_fields=["current"])

    result = take([{"prompt_id": "a", "response": "x"}, {"prompt": "Why is it?", "response": "x"}])

    assert counts(result) == (1, 0, 0, 1)
    assert Rollout.objects.get().prompt_revision == prompt.current


def test_a_conversation_is_matched_by_its_last_user_turn(take, project, save):
    turns = [
        {"role": "user", "content": "One?"},
        {"role": "assistant", "content": "So."},
        {"role": "user", "content": "Two?"},
    ]
    import_prompts(project, ImportFile(save([{"id": "m", "messages": turns}], "prompts.jsonl")))

    take([{"messages": [*turns, {"role": "assistant", "content": "Then."}]}])

    assert whose() == ["m"]
    assert Rollout.objects.get().messages == [{"role": "assistant", "content": "Then."}]


def test_a_rollout_holds_what_the_row_said(take):
    take(
        [
            {
                **{"prompt_id": "a", "response": "So.", "reasoning": "Hm.", "model": "m"},
                **{"step": 3, "checkpoint": "c", "score": 0.5, "truncated": True, "acc": 1},
            }
        ]
    )

    rollout = Rollout.objects.get()
    messages = [{"role": "reasoning", "content": "Hm."}, {"role": "assistant", "content": "So."}]
    assert rollout.messages == messages
    assert rollout.content_sha256 == messages_hash([Message.from_dict(one) for one in messages])
    assert (rollout.excerpt, rollout.characters, rollout.number) == ("So.", 6, 1)
    assert (rollout.policy.name, rollout.step, rollout.checkpoint) == ("m", 3, "c")
    assert (rollout.trainer_reward, rollout.truncated, rollout.columns) == (0.5, True, {"acc": 1})


def test_importing_a_file_twice_changes_nothing(take):
    rows = [{"prompt_id": key, "response": f"So {n}."} for key in "abc" for n in range(3)]

    assert counts(take(rows)) == (9, 0, 0, 0)
    assert counts(take(rows)) == (0, 9, 0, 0)
    assert (Rollout.objects.count(), Batch.objects.count(), Policy.objects.count()) == (9, 1, 1)


@pytest.mark.parametrize("batch", [1, 2, 2000])
def test_the_same_text_sampled_twice_is_two_rollouts(take, monkeypatch, batch):
    monkeypatch.setattr(pipeline, "BATCH_ROWS", batch)
    rows = [{"prompt_id": "a", "response": "So."}] * 3

    assert counts(take(rows)) == (3, 0, 0, 0)
    assert counts(take([*rows, rows[0]])) == (1, 3, 0, 0)
    assert sorted(key.split(":")[1] for key in Rollout.objects.values_list("key", flat=True)) == [
        "1",
        "2",
        "3",
        "4",
    ]


def test_the_same_text_at_another_step_or_of_another_policy_is_another_rollout(take):
    row = {"prompt_id": "a", "response": "So."}

    result = take([row, {**row, "step": 0}, {**row, "step": 1}, {**row, "policy": "q"}])

    assert counts(result) == (4, 0, 0, 0)
    assert all(key.endswith(":1") for key in Rollout.objects.values_list("key", flat=True))


@pytest.mark.parametrize("step", [{}, {"step": 4}])
def test_other_text_under_the_same_id_is_the_next_revision(take, step):
    row = {"prompt_id": "a", "rollout_id": "r", **step}
    take([{**row, "response": "Old."}])

    assert counts(take([{**row, "response": "New."}])) == (0, 0, 1, 0)
    assert counts(take([{**row, "response": "Old."}, {**row, "response": "New."}])) == (0, 2, 0, 0)
    assert list(Rollout.objects.order_by("revision").values_list("revision", "excerpt")) == [
        (1, "Old."),
        (2, "New."),
    ]


@pytest.mark.parametrize("batch", [1, 2000])
def test_an_id_that_a_file_gives_two_texts_has_two_revisions(take, monkeypatch, batch):
    monkeypatch.setattr(pipeline, "BATCH_ROWS", batch)
    row = {"prompt_id": "a", "rollout_id": "r"}
    rows = [{**row, "response": text} for text in ("Old.", "New.", "New.")]

    assert counts(take(rows)) == (1, 1, 1, 0)
    assert counts(take(rows)) == (0, 3, 0, 0)


def test_the_rollouts_of_one_import_are_one_group_a_prompt(take):
    rows = [{"prompt_id": key, "response": f"So {n}."} for key in "ab" for n in range(3)]

    take(rows)
    take([{"prompt_id": "a", "response": "Later."}])

    sizes = [group.rollouts.count() for group in RolloutGroup.objects.order_by("id")]
    assert sizes == [3, 3, 1]


def test_the_rollouts_of_one_step_are_one_group_whatever_file_they_came_in(take):
    row = {"prompt_id": "a", "step": 7}

    take([{**row, "response": "One."}])
    take([{**row, "response": "Two."}, {**row, "response": "Other.", "policy": "q"}])

    sizes = [group.rollouts.count() for group in RolloutGroup.objects.order_by("id")]
    assert sizes == [2, 1]
    assert set(Batch.objects.values_list("policy__name", "step")) == {("p", 7), ("q", 7)}


def test_other_numbers_for_a_stored_text_are_told_and_not_taken(take):
    row = {"prompt_id": "a", "response": "So.", "score": 0.5}
    take([row])

    result = take([{**row, "score": 0.7}, {**row, "prompt_id": "b"}])

    assert counts(result) == (1, 1, 0, 0)
    assert result.tally.notes[0].startswith("1 rollouts are there already with another reward")
    assert Rollout.objects.order_by("number")[0].trainer_reward == 0.5


@pytest.mark.parametrize("response", [None, True, 3.5])
def test_a_response_that_is_no_text_is_rejected_and_the_rest_is_imported(take, response):
    result = take([{"prompt_id": "a", "response": response}, {"prompt_id": "a", "response": ""}])

    assert counts(result) == (1, 0, 0, 1)
    assert Rollout.objects.get().messages == [{"role": "assistant", "content": ""}]


def test_one_bad_answer_of_several_rejects_only_itself(take):
    result = take([{"prompt_id": "a", "responses": ["One.", None, "Two.", "a\x00"]}])

    assert counts(result) == (2, 0, 0, 2)
    assert [reject.line for reject in result.tally.rejects] == [1, 1]


def test_a_dry_run_counts_and_writes_nothing(take, project):
    result = take([{"prompt_id": "a", "response": "So."}, {"response": "So."}], dry_run=True)

    assert counts(result) == (1, 0, 0, 1)
    assert (Rollout.objects.count(), Policy.objects.count(), Batch.objects.count()) == (0, 0, 0)
    assert not Import.objects.filter(kind=Import.Kind.ROLLOUTS).exists()


def test_an_import_is_in_the_trail(take, project):
    record = take([{"prompt_id": "a", "response": "So."}]).record

    event = AuditEvent.objects.get(verb="rollouts.imported")
    assert (event.project, event.target_id, event.detail["new"]) == (project, str(record.pk), 1)


@pytest.mark.parametrize("policy", ["", " ", "a\nb", "x" * 201])
def test_a_policy_needs_a_name(take, policy):
    with pytest.raises(BadInput, match="name of a policy"):
        take([{"prompt_id": "a", "response": "So."}], policy=policy)


def test_a_table_without_a_response_column_is_refused_as_a_whole(take):
    with pytest.raises(BadInput, match="no column holds a response"):
        take("prompt,story\nHow?,x\n", "file.csv")


def test_the_queries_of_a_batch_do_not_grow_with_what_is_there(take, django_assert_max_num_queries):
    take([{"prompt_id": "a", "response": f"So {n}."} for n in range(300)])

    with django_assert_max_num_queries(30, connection=connection):
        take([{"prompt_id": "a", "response": f"So {n}."} for n in range(600)])

    assert Rollout.objects.count() == 600
