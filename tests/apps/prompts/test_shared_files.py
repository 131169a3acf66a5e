"""Real files that people publish come in whole, twice over."""

import json

import pytest

from apps.prompts.models import Prompt, PromptRevision, Reference
from apps.prompts.services import ImportFile, import_prompts
from tests.factories import make_project
from tests.shared_data import shared_path

pytestmark = [pytest.mark.django_db, pytest.mark.shared]


def take(name, project=None, **said):
    project = project or make_project()
    result = import_prompts(project, ImportFile(shared_path(name), **said))
    return project, tuple(result.tally.counts().values())


def current(project, key):
    return Prompt.objects.get(project=project, key=key).current


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("ifeval/input_data.jsonl", 272),
        ("ifbench/IFBench_test.jsonl", 163),
        ("m_ifeval/fr_input_data.jsonl", 60),
        ("m_ifeval/es_input_data.jsonl", 51),
        ("m_ifeval/ja_input_data.jsonl", 60),
        ("healthbench/healthbench_eval.jsonl", 120),
        ("writingbench/benchmark.jsonl", 150),
        ("mt_bench/question.jsonl", 80),
        ("arena_hard/question_v2.jsonl", 250),
        ("raw_imports/arena_hard_unicode_line_separators.jsonl", 21),
        ("followbench/data_format_constraints.json", 180),
        ("followbench/data_style_constraints.json", 180),
        ("biggen/instances.jsonl", 250),
        ("expertqa/rand_test.jsonl", 106),
        ("lfrqa/science.jsonl", 150),
        ("raw_imports/tulu_excel_utf8bom_crlf.csv", 120),
        ("raw_imports/hanna_llm_stories_first40.csv", 40),
    ],
)
def test_every_row_of_a_published_file_is_a_prompt_and_stays_one(name, rows):
    project, first = take(name)
    _project, second = take(name, project)

    assert sum(first) == rows
    assert first[3] == 0
    assert second == (0, rows, 0, 0)


def test_constraints_published_with_a_prompt_lose_their_nulls():
    project, _counts = take("ifbench/IFBench_test.jsonl")

    given = current(project, "0").given
    assert given["kind"] == "ifeval"
    assert given["instruction_id_list"] == ["count:keywords_multiple"]
    assert sorted(given["kwargs"][0]) == [f"keyword{n}" for n in range(1, 6)]


def test_rubric_rows_keep_their_signed_points_and_answers_become_references():
    project, _counts = take("healthbench/healthbench_eval.jsonl")

    revisions = PromptRevision.objects.filter(prompt__project=project)
    points = [row["points"] for one in revisions for row in one.given["rubrics"]]
    assert (min(points), max(points)) == (-10, 10)
    # 14 of the 120 rows have no ideal completion
    assert Reference.objects.values("revision").distinct().count() == 106
    assert all("canary" in one.columns and "healthbench" not in one.excerpt for one in revisions)


def test_a_checklist_keeps_its_levels_and_its_domain():
    project, _counts = take("writingbench/benchmark.jsonl")

    text = current(project, "8")
    assert text.given["kind"] == "writingbench"
    assert "9-10" in text.given["checklist"][0]
    assert project.domains.count() == 6
    assert text.prompt.domain.name == "Academic & Engineering"
    assert (text.prompt.tags, text.columns["lang"]) == (["Abstract"], "en")


def test_two_turns_are_two_user_turns():
    project, _counts = take("mt_bench/question.jsonl")

    roles = [message["role"] for message in current(project, "81").messages]
    assert roles == ["user", "user"]


def test_line_separators_inside_a_text_are_kept():
    project, _counts = take("raw_imports/arena_hard_unicode_line_separators.jsonl")

    path = shared_path("raw_imports/arena_hard_unicode_line_separators.jsonl")
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert len(rows) == 21
    for row in rows:
        assert current(project, row["uid"]).messages[0]["content"] == row["prompt"]


def test_what_excel_writes_is_read_as_it_was_meant():
    project, _counts = take("raw_imports/tulu_excel_utf8bom_crlf.csv")

    first = current(project, "213")
    assert project.imports.get().encoding == "utf-8-sig"
    assert first.messages[0]["content"].endswith("Your support had a huge affect on me!\n")
    assert first.columns["preference"] == "a-is-better"


def test_a_survey_is_read_once_its_prompt_column_is_named():
    columns = {"prompt": "Input.explanation"}

    project, first = take("raw_imports/hanna_user_study.csv", columns=columns)
    _project, second = take("raw_imports/hanna_user_study.csv", project, columns=columns)

    # 300 answers about 92 texts, of which the same answer was given more than once
    assert (first[0], sum(first), first[3]) == (92, 300, 0)
    assert second == (0, 300, 0, 0)


def test_rows_without_a_task_are_rejected_and_chinese_comes_back_as_characters():
    project, counts = take("followbench/data_zh_content_constraints.json")

    excerpts = PromptRevision.objects.filter(prompt__project=project).values_list(
        "excerpt", flat=True
    )
    # 15 of the 138 rows have an empty instruction
    assert counts == (123, 0, 0, 15)
    assert any("请" in excerpt for excerpt in excerpts)
    assert not any("\\u" in excerpt for excerpt in excerpts)
