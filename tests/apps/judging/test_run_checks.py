"""Check runs: native checkers of the newest specs on every rollout of their prompts."""

import json

import pytest
from django.core.management import call_command

from apps.activity.errors import BadInput
from apps.judging import services
from apps.judging.models import CheckOutcome, CheckRun
from apps.judging.services import checks
from apps.specs.models import Checker
from rubricstudio.core.checkers.registry import Checklist
from tests import factories

pytestmark = pytest.mark.django_db

SHORT = {"type": "word_count", "params": {"op": "le", "value": 5}}
CAREFUL = {"type": "contain", "params": {"phrases": ["salt"]}}


@pytest.fixture
def project():
    return factories.make_project()


def make_checked_prompt(project, *constraints):
    """A prompt with a spec, each of whose constraints has a native checker."""
    prompt = factories.make_prompt(project, "Why is the sea salty?")
    add_checkers(factories.make_spec(prompt, constraints=constraints))
    return prompt


def add_checkers(spec):
    for constraint in spec.constraints.all():
        Checker.objects.create(
            constraint=constraint, content_sha256=constraint.as_value().content_hash()
        )


def outcomes(run):
    rows = CheckOutcome.objects.filter(run=run).order_by("rollout", "checker")
    return list(rows.values_list("rollout__number", "result"))


def test_each_checker_answers_about_each_rollout(project):
    prompt = make_checked_prompt(project, SHORT, CAREFUL)
    first = factories.make_rollout(prompt, "Because of salt.")
    second = factories.make_rollout(prompt, "Rivers wash minerals out of the rocks all day long.")

    report = services.run_checks(project=project)

    assert outcomes(report.run) == [
        (first.number, "passed"),
        (first.number, "passed"),
        (second.number, "failed"),
        (second.number, "failed"),
    ]
    assert (report.checks, report.passed, report.failed, report.unavailable) == (4, 2, 2, 0)


def test_an_outcome_says_why(project):
    factories.make_rollout(make_checked_prompt(project, SHORT), "One two three four five six.")

    services.run_checks(project=project)

    assert CheckOutcome.objects.get().reason == "6 words, at most 5 asked"


def test_a_constraint_that_no_checker_can_read_is_unavailable_and_the_others_go_on(project):
    prompt = make_checked_prompt(project, {"type": "rhymes"}, CAREFUL)
    factories.make_rollout(prompt, "Salt.")

    report = services.run_checks(project=project)

    refused = CheckOutcome.objects.get(result="unavailable")
    assert (report.passed, report.unavailable) == (1, 1)
    assert refused.cause == "refused"
    assert "rhymes" in refused.reason


def test_equal_checkers_are_asked_about_equal_responses_once(project, monkeypatch):
    prompt = make_checked_prompt(project, SHORT, SHORT)
    for _ in range(3):
        factories.make_rollout(prompt, "Because of salt.")
    made, asked = [], []

    class Counting(Checklist):
        def __init__(self, constraints):
            made.extend(some := list(constraints))
            super().__init__(some)

        def check(self, view):
            asked.append(view)
            return super().check(view)

    monkeypatch.setattr("apps.judging.services.outcomes.Checklist", Counting)
    report = services.run_checks(project=project)

    assert report.checks == 6
    assert (len(made), len(asked)) == (1, 1)


def test_only_the_last_assistant_turn_is_checked(project):
    messages = [
        {"role": "assistant", "content": "A long first answer that nobody counts any more."},
        {"role": "user", "content": "Shorter."},
        {"role": "reasoning", "content": "They want fewer words, I think, so let me see now."},
        {"role": "assistant", "content": "Salt."},
    ]
    factories.make_rollout(make_checked_prompt(project, SHORT), messages=messages)

    assert services.run_checks(project=project).passed == 1


def test_a_cut_response_does_not_end_as_asked_and_says_so(project):
    ending = {"type": "end_with", "params": {"text": "salt."}}
    factories.make_rollout(make_checked_prompt(project, ending), "It is salt.", truncated=True)

    services.run_checks(project=project)

    outcome = CheckOutcome.objects.get()
    assert outcome.result == "failed"
    assert "cut" in outcome.reason


def test_a_second_run_over_the_same_is_the_first_one(project):
    factories.make_rollout(make_checked_prompt(project, SHORT))
    first = services.run_checks(project=project)

    second = services.run_checks(project=project)

    assert second == first
    assert CheckRun.objects.count() == 1


@pytest.mark.parametrize("change", ["a rollout", "a spec", "a registry"])
def test_a_change_makes_a_new_run(project, change, monkeypatch):
    prompt = make_checked_prompt(project, SHORT)
    factories.make_rollout(prompt)
    first = services.run_checks(project=project)

    if change == "a rollout":
        factories.make_rollout(prompt)
    elif change == "a spec":
        add_checkers(factories.make_spec(prompt, constraints=(CAREFUL,)))
    else:
        monkeypatch.setattr("apps.judging.services.checks.REGISTRY_VERSION", "studio/1.99")
    second = services.run_checks(project=project)

    assert second.run.number == first.run.number + 1
    assert CheckOutcome.objects.filter(run=first.run).count() == 1


def test_an_interrupted_run_is_completed_and_nothing_doubled(project, monkeypatch):
    monkeypatch.setattr("apps.judging.services.checks.ROWS_AT_A_TIME", 1)
    prompt = make_checked_prompt(project, SHORT)
    for _ in range(3):
        factories.make_rollout(prompt)
    real = checks._insert

    def dies_after_the_first(run, rows):
        if CheckOutcome.objects.exists():
            raise KeyboardInterrupt
        real(run, rows)

    with monkeypatch.context() as patched:
        patched.setattr(checks, "_insert", dies_after_the_first)
        with pytest.raises(KeyboardInterrupt):
            services.run_checks(project=project)
    report = services.run_checks(project=project)

    assert CheckRun.objects.count() == 1
    assert report.checks == 3
    assert report.run.finished_at is not None


def test_a_project_without_rollouts_or_specs_is_told_what_to_do(project):
    with pytest.raises(BadInput, match="import rollouts first"):
        services.run_checks(project=project)

    factories.make_rollout(factories.make_prompt(project))
    with pytest.raises(BadInput, match="make specs first"):
        services.run_checks(project=project)


def test_the_command_reports_the_counts_as_its_last_line(project, capsys):
    prompt = make_checked_prompt(project, SHORT)
    factories.make_rollout(prompt, "Salt.")

    call_command("run_checks", project=project.slug)

    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told == {"checks": 1, "passed": 1, "failed": 0, "unavailable": 0}


def test_many_rollouts_of_a_prompt_are_checked_with_few_queries(
    project, django_assert_max_num_queries
):
    prompt = make_checked_prompt(project, SHORT)
    for _ in range(50):
        factories.make_rollout(prompt)

    with django_assert_max_num_queries(20):
        services.run_checks(project=project)
