"""Published responses find their prompts."""

import json

import pytest

from apps.prompts.services import ImportFile, import_prompts
from apps.rollouts.models import Rollout, RolloutGroup
from apps.rollouts.services import import_rollouts
from tests.factories import make_project
from tests.shared_data import shared_path

pytestmark = [pytest.mark.django_db, pytest.mark.shared]


def take(prompts, rollouts, project=None, **said):
    project = project or make_project()
    import_prompts(project, ImportFile(shared_path(prompts)))
    file = ImportFile(shared_path(rollouts), **said)
    result = import_rollouts(project, file, policy="published")
    return project, result.tally


def test_every_published_response_of_ifeval_finds_its_prompt():
    files = ("ifeval/input_data.jsonl", "ifeval/responses_gpt4.jsonl")

    project, first = take(*files)
    _project, second = take(*files, project)

    assert tuple(first.counts().values()) == (272, 0, 0, 0)
    assert tuple(second.counts().values()) == (0, 272, 0, 0)
    assert RolloutGroup.objects.count() == 272


def test_responses_of_ifbench_are_matched_exactly_then_by_folded_text_or_rejected():
    prompts, rollouts = "ifbench/IFBench_test.jsonl", "ifbench/sample_output.jsonl"

    _project, tally = take(prompts, rollouts)

    lines = shared_path(rollouts).read_bytes().split(b"\n")
    asked = [json.loads(line)["prompt"] for line in lines if line]
    texts = {
        revision.messages[0]["content"]
        for revision in (
            one.prompt_revision for one in Rollout.objects.select_related("prompt_revision")
        )
    }
    # FIGURES.md: 154 of the 158 join exactly, 2 after folding white space, 2 have no prompt
    assert tuple(tally.counts().values()) == (156, 0, 0, 2)
    assert sum(text in texts for text in asked) == 154
    assert [reject.reason for reject in tally.rejects] == [
        "no prompt of this project has this text."
    ] * 2


def test_stories_of_a_table_become_rollouts_once_their_column_is_named():
    name = "raw_imports/hanna_llm_stories_first40.csv"

    _project, tally = take(name, name, columns={"response": "Story"})

    assert tuple(tally.counts().values()) == (40, 0, 0, 0)
    assert set(Rollout.objects.values_list("policy__name", flat=True)) == {"Llama-7b"}
    assert all("Human" in rollout.columns for rollout in Rollout.objects.all())


def test_a_response_that_is_a_boolean_is_rejected():
    name = "pandalm/testset-v1.jsonl"
    columns = {"response": "response1"}
    lines = shared_path(name).read_bytes().split(b"\n")
    responses = [json.loads(line)["response1"] for line in lines if line]
    untexts = [response for response in responses if not isinstance(response, str)]

    _project, tally = take(name, name, columns=columns)

    assert tally.rejected == len(untexts)
    assert tally.new == 513 - len(untexts)
