"""Published constraints and rubrics become specs without a model; counts are those of the files."""

from collections import Counter

import pytest

from apps.specs import selectors, services
from apps.specs.models import Checker, Constraint, Criterion, Spec, SpecFailure
from tests.apps.specs.conftest import import_shared, make, shared_rows
from tests.factories import make_prompt, make_revision

pytestmark = pytest.mark.django_db

IFEVAL = {
    "kind": "ifeval",
    "instruction_id_list": ["length_constraints:number_words", "detectable_format:rephrase"],
    "kwargs": [{"num_words": 50, "relation": "at least"}, {}],
}
REFUSED_ONLY = {
    "kind": "ifeval",
    "instruction_id_list": ["detectable_format:rephrase"],
    "kwargs": [{}],
}


def make_given(project):
    return make(project, use_model=False)


@pytest.mark.shared
def test_every_published_instruction_of_ifeval_is_kept(project):
    import_shared(project, "ifeval/input_data.jsonl")

    made = selectors.made_by(make_given(project))

    # FIGURES.md: 428 instructions over 272 prompts
    assert (made.constraints, made.checkers, made.handled) == (428, 428, 272)
    published = Counter(
        name
        for row in shared_rows("ifeval/input_data.jsonl")
        for name in row["instruction_id_list"]
    )
    assert Counter(Checker.objects.values_list("constraint__type", flat=True)) == published
    assert set(Spec.objects.values_list("dialect", flat=True)) == {"ifeval/1"}


@pytest.mark.shared
@pytest.mark.parametrize(("language", "refused"), [("fr", 0), ("es", 21), ("ja", 2)])
def test_every_instruction_of_m_ifeval_is_kept_and_checked_or_refused(project, language, refused):
    name = f"m_ifeval/{language}_input_data.jsonl"
    import_shared(project, name)

    made = selectors.made_by(make_given(project))

    assert made.constraints == sum(len(row["kwargs"]) for row in shared_rows(name))
    assert made.checkers == made.constraints - refused
    reasons = Constraint.objects.exclude(refused="").values_list("refused", flat=True)
    assert len(reasons) == refused
    assert all("is not checked: its published definition" in one for one in reasons)


@pytest.mark.shared
def test_the_points_of_healthbench_become_weights_with_a_sign(project):
    import_shared(project, "healthbench/healthbench_eval.jsonl")
    rows = shared_rows("healthbench/healthbench_eval.jsonl")
    points = Counter(rubric["points"] for row in rows for rubric in row["rubrics"])

    make_given(project)

    signs = {"positive": 1, "negative": -1}
    criteria = Criterion.objects.values_list("weight", "polarity")
    assert Counter(weight * signs[polarity] for weight, polarity in criteria) == points


@pytest.mark.shared
def test_each_entry_of_a_writingbench_checklist_becomes_a_criterion(project):
    import_shared(project, "writingbench/benchmark.jsonl")
    rows = shared_rows("writingbench/benchmark.jsonl")

    made = selectors.made_by(make_given(project))

    assert (made.specs, made.failed) == (150, 0)
    assert made.criteria == sum(len(row["checklist"]) for row in rows)


def test_a_constraint_without_a_checker_is_kept_and_refused_by_name(project):
    make_prompt(project, given=IFEVAL)

    make_given(project)

    refused = Constraint.objects.get(checker__isnull=True)
    assert refused.type == "detectable_format:rephrase"
    assert "detectable_format:rephrase is not checked: it is no instruction" in refused.refused


def test_a_checker_is_data_with_all_its_defaults_written_out(project):
    make_prompt(project, given=IFEVAL)

    make_given(project)

    constraint = Constraint.objects.get(type="length_constraints:number_words")
    assert constraint.params == {"num_words": 50, "relation": "at least"}
    assert (constraint.options, constraint.dialect) == ({"loose": False}, "ifeval/1")


def test_a_spec_holds_what_is_checked_and_not_what_is_refused(project):
    make_prompt(project, given=IFEVAL)

    make_given(project)

    value = Spec.objects.get().as_value()
    assert [one.type for one in value.constraints] == ["length_constraints:number_words"]
    assert value.dialect == "ifeval/1"


def test_a_prompt_whose_constraints_are_all_refused_keeps_them_and_counts_as_failed(project):
    make_prompt(project, given=REFUSED_ONLY)

    made = selectors.made_by(make_given(project))

    assert (made.specs, made.constraints, made.checkers, made.failed) == (0, 1, 0, 1)
    assert SpecFailure.objects.get().cause == "no_checker"


def test_refused_constraints_are_kept_once_however_often_one_tries(project):
    make_prompt(project, given=REFUSED_ONLY)
    make_given(project)

    make_given(project)

    assert Spec.objects.count() == 1


def test_a_prompt_without_anything_published_counts_as_failed_with_a_reason(project):
    make_prompt(project)

    make_given(project)

    failure = SpecFailure.objects.get()
    assert failure.cause == "nothing_given"
    assert failure.reason.startswith("Nothing was published with the prompt")


def test_rubric_rows_that_cannot_be_read_fail_their_prompt_alone(project):
    rows = [{"criterion": "Says so.", "points": 0}]
    make_prompt(project, "broken", given={"rubrics": rows})
    make_prompt(project, "fine", given=IFEVAL)

    made = selectors.made_by(make_given(project))

    assert (made.specs, made.failed) == (1, 1)
    assert "rubric row 1 has the points 0" in SpecFailure.objects.get().reason


def test_a_second_run_makes_nothing_new(project):
    make_prompt(project, given=IFEVAL)
    make_given(project)

    again = selectors.made_by(make_given(project))

    assert (again.handled, Spec.objects.count()) == (0, 1)


def test_remaking_saves_the_next_version(project):
    make_prompt(project, given=IFEVAL)
    make_given(project)

    make(project, use_model=False, remake=True)

    versions = Spec.objects.order_by("version").values_list("version", "parent__version")
    assert list(versions) == [(1, None), (2, 1)]


def test_a_new_revision_of_a_prompt_needs_a_spec_of_its_own(project):
    prompt = make_prompt(project, given=IFEVAL)
    make_given(project)
    prompt.current = make_revision(prompt, "a changed text", given=IFEVAL)
    prompt.save(update_fields=["current"])

    assert selectors.made_by(make_given(project)).specs == 1


def test_the_limit_counts_prompts_that_are_handled(project):
    for number in range(3):
        make_prompt(project, f"prompt {number}", given=REFUSED_ONLY if number else IFEVAL)

    made = selectors.made_by(make(project, use_model=False, limit=2))

    assert (made.specs, made.failed) == (1, 1)


def test_making_is_written_to_the_trail_with_its_counts(project):
    make_prompt(project, given=IFEVAL)

    job = make_given(project)

    event = project.events.get(verb="specs.made")
    assert (event.target_id, event.detail["checkers"]) == (str(job.pk), 1)


def test_the_method_says_where_the_parts_came_from(project):
    make_prompt(project, given=IFEVAL)

    make_given(project)

    assert Spec.objects.get().method == services.GIVEN
