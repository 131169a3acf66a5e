"""How the constraints of a spec behave over the rollouts of its prompt."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import Project, Role
from apps.judging import selectors
from apps.judging.selectors import behaviour
from apps.specs import services
from apps.specs.models import Constraint as Row
from apps.specs.models import Criterion as CriterionRow
from apps.specs.models import Spec
from rubricstudio.core.types import Constraint, Criterion, Polarity
from tests.factories import (
    make_group,
    make_member,
    make_project,
    make_prompt,
    make_rollout,
    make_run,
    make_spec,
    make_verdict,
    newest,
)

pytestmark = pytest.mark.django_db
PART = "/p/tides/runs/checks/of-spec/1/"
NO_TEA = Constraint("not_contain", {"phrases": ["tea"]})
SHORT = Constraint("word_count", {"op": "le", "value": 50})
POEM = Constraint("poem")


@pytest.fixture
def project() -> Project:
    return make_project("tides")


@pytest.fixture
def spec(project: Project) -> Spec:
    """No tea, at most 50 words, and a poem that nobody checks; four rollouts, one of tea."""
    prompt = make_prompt(project)
    draft = services.Draft(
        criteria=(
            Criterion("c1", "It does not mention tea."),
            Criterion("c2", "It mentions tea.", polarity=Polarity.NEGATIVE),
            Criterion("c3", "It is kind."),
        ),
        constraints=tuple(
            services.DraftConstraint.of(one, origin=Row.Origin.GIVEN)
            for one in (NO_TEA, SHORT, POEM)
        ),
        method="given",
    )
    spec = services.save_draft(newest(prompt), draft=draft)
    group = make_group(prompt)
    for text in ("A cup of tea.", "The sea.", "The Moon.", "", "The Sun."):
        make_rollout(prompt, text, group=group)
    return spec


def criterion(spec: Spec, key: str) -> CriterionRow:
    return spec.criteria.get(key=key)


def test_each_constraint_has_its_pass_rate_with_n_and_interval(spec):
    no_tea, short, poem = selectors.behaviour_of(spec).behaviours

    # An empty response fails every checker.
    assert (len(no_tea.passed), len(no_tea.failed), no_tea.answered) == (3, 2, 5)
    assert no_tea.pass_rate == pytest.approx(0.6)
    # Wilson, 3 of 5
    interval = no_tea.interval
    assert (interval.low, interval.high) == pytest.approx((0.230724, 0.882379), abs=2e-6)
    assert len(short.passed) == 4
    assert (poem.answered, poem.pass_rate, poem.interval.low) == (0, None, None)
    assert len(poem.unavailable) == 5


def test_what_passes_never_is_flagged_once_there_are_enough(spec, project, monkeypatch):
    zebra = Constraint("contain", {"phrases": ["zebra"]})
    author = make_member(project, Role.AUTHOR)
    spec = services.add_constraint(spec, constraint=zebra, author=author)

    def flagged() -> list[bool]:
        return [one.is_constant for one in selectors.behaviour_of(spec).behaviours]

    # The poem has no outcome at all.
    assert flagged() == [False, False, False, True]
    client = Client()
    client.force_login(author)
    assert "No rollout passes: it tells none of them apart." in client.get(PART).content.decode()
    monkeypatch.setattr(behaviour, "MOST_ROLLOUTS", 4)
    assert flagged() == [False, False, False, False]


def test_the_judge_is_compared_where_a_criterion_claims_the_same(spec, project):
    tea, sea, moon, _empty, sun = spec.prompt_revision.rollouts.order_by("number")
    run = make_run(project)
    says = [(tea, 1.0), (sea, 1.0), (moon, 0.5), (sun, 0.0)]
    verdicts = {
        rollout: make_verdict(run, rollout, criterion(spec, "c1"), score=score)
        for rollout, score in says
    }
    make_verdict(run, tea, criterion(spec, "c3"), score=0.0)

    no_tea, short, _poem = selectors.behaviour_of(spec).behaviours

    (claim,) = no_tea.claims
    # Of the Moon the judge is undecided, and the empty response has no verdict.
    assert (claim.criterion.key, claim.compared) == ("c1", 3)
    assert claim.differ == (
        (tea.number, verdicts[tea].pk),
        (sun.number, verdicts[sun].pk),
    )
    assert short.claims == ()


def test_of_a_negative_criterion_a_no_is_good(spec, project):
    tea, sea, *_rest = spec.prompt_revision.rollouts.order_by("number")
    run = make_run(project)
    make_verdict(run, tea, criterion(spec, "c2"), answer="yes", score=1.0)
    make_verdict(run, sea, criterion(spec, "c2"), answer="no", score=0.0)

    (claim,) = selectors.behaviour_of(spec).behaviours[0].claims

    assert (claim.criterion.key, claim.compared, claim.differ) == ("c2", 2, ())


def test_the_newest_verdict_on_the_same_words_counts(spec, project):
    tea = spec.prompt_revision.rollouts.order_by("number")[0]
    make_verdict(make_run(project), tea, criterion(spec, "c1"), score=1.0)
    make_verdict(make_run(project), tea, criterion(spec, "c1"), score=0.0)
    later = services.remove_constraint(spec, number=3, author=make_member(project, Role.AUTHOR))

    (claim,) = selectors.behaviour_of(later).behaviours[0].claims

    assert (claim.compared, claim.differ) == (1, ())


def test_of_very_many_rollouts_the_first_are_checked_and_that_is_said(spec, project, monkeypatch):
    monkeypatch.setattr(behaviour, "MOST_ROLLOUTS", 3)

    results = selectors.behaviour_of(spec)

    assert (results.checked, results.rollouts) == (3, 5)
    client = Client()
    client.force_login(make_member(project, Role.AUDITOR))
    assert "the first 3 of 5" in client.get(PART).content.decode()


def test_the_part_shows_rates_flags_and_links(spec, project, client):
    tea = spec.prompt_revision.rollouts.order_by("number")[0]
    verdict = make_verdict(make_run(project), tea, criterion(spec, "c1"), score=1.0)
    client.force_login(make_member(project, Role.REVIEWER))

    page = client.get(f"{PART}?version=1").content.decode()

    said = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert "60.0 % pass 95 % 23.1 % to 88.2 %, n = 5" in said
    assert "Criterion c1 claims the same; the judge differs on 1 of 1." in said
    assert f'href="/p/tides/runs/verdicts/{verdict.pk}/"' in page
    assert f"constraint=1&amp;rollout={tea.number}" in page
    assert "no answer 5 unavailable" in said


def test_a_spec_without_rollouts_or_constraints_says_what_is_missing(project, client):
    client.force_login(make_member(project, Role.AUTHOR))
    make_spec(make_prompt(project), constraints=({"type": "poem", "refused": "no"},))
    make_spec(make_prompt(project))

    assert "no rollouts yet" in client.get(PART).content.decode()
    two = client.get("/p/tides/runs/checks/of-spec/2/").content.decode()
    assert "Nothing is checked yet." in two
    assert client.get("/p/tides/runs/checks/of-spec/9/").status_code == 404


def test_it_takes_the_same_queries_for_many_rollouts(spec, project, client):
    client.force_login(make_member(project, Role.AUTHOR))
    run = make_run(project)
    tea = spec.prompt_revision.rollouts.order_by("number")[0]
    make_verdict(run, tea, criterion(spec, "c1"), score=1.0)

    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            client.get(PART)
        return len(found)

    few = queries()
    for _number in range(30):
        rollout = make_rollout(spec.prompt_revision.prompt, "More tea.")
        make_verdict(run, rollout, criterion(spec, "c1"), score=1.0)

    # session, person, project with roles, the version, criteria, constraints, rollouts, verdicts
    assert (few, queries()) == (8, 8)


def test_annotators_do_not_see_it(spec, project, client):
    client.force_login(make_member(project, Role.ANNOTATOR))

    assert client.get(PART).status_code == 403
