from rubricstudio.core.parsing import RubricDraft
from rubricstudio.core.types import Criterion, FailureCause, UnscoredReason, VerdictState
from rubricstudio.llm.client import JudgeItem
from rubricstudio.llm.scripted import ScriptedModel
from tests.llm.asking import CRITERION, PROMPT, RESPONSE, run


def test_the_script_answers_by_key():
    model = ScriptedModel({"c1": "part", "c2": FailureCause.TIMEOUT}, overall=7.5)
    handed = {}

    async def keep(item, asked):
        handed[item.key] = asked

    items = [
        JudgeItem(1, PROMPT, RESPONSE, CRITERION),
        JudgeItem(2, PROMPT, RESPONSE, Criterion("c2", "It is kind.")),
        JudgeItem(3, PROMPT, RESPONSE, Criterion("c3", "It is long.")),
        JudgeItem(4, PROMPT, RESPONSE, None),
    ]
    ended = run(model.judge_many(items, keep, concurrency=1))

    assert ended.answered == len(model.asked) == 4
    assert (handed[1].value.score, handed[4].value.score) == (0.5, 7.5)
    assert (handed[2].failure, handed[3].unscored) == (FailureCause.TIMEOUT, UnscoredReason.MISSING)


def test_a_script_can_be_stopped():
    model = ScriptedModel({"c1": "yes"})

    async def keep(item, asked):
        assert asked.state == VerdictState.SCORED

    items = [JudgeItem(n, PROMPT, RESPONSE, CRITERION) for n in range(5)]
    ended = run(model.judge_many(items, keep, concurrency=1, stop=lambda: len(model.asked) == 2))

    assert (ended.answered, ended.stopped) == (2, True)


def test_a_rubric_is_what_the_script_holds():
    asked = run(ScriptedModel(rubric=[CRITERION]).write_rubric(PROMPT, label="general"))

    assert asked.value == RubricDraft((CRITERION,))
