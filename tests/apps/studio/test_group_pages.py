"""Groups on pages: the list, the matrix, a cell of it, and two rollouts beside each other."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import Role
from apps.judging.models import CheckOutcome, Verdict
from apps.rewards import services as rewards
from apps.rollouts.models import Batch
from rubricstudio.core.types import Criterion
from tests import factories
from tests.apps.rewards.world import checked, judged, outcomes, save_spec, say, words_at_most

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
PAYLOADS = ('"messages"', '"tools"', '"given"', '"evidence"', '"columns"')
RUBRIC = (
    Criterion("moon", "Names the Moon.", 3, bucket="accuracy"),
    Criterion("plain", "Is plain."),
)


@pytest.fixture
def project():
    return factories.make_project("tides")


@pytest.fixture
def author(client, project):
    client.force_login(factories.make_member(project, Role.AUTHOR))
    return client


def make_group(project, *, rollouts=2, policy="policy", **values):
    prompt = factories.make_prompt(project, f"Why are there tides? {values}")
    group = factories.make_group(prompt, **values)
    for at in range(rollouts):
        factories.make_rollout(prompt, f"The Moon, {at}.", group=group, policy=policy)
    return group


@pytest.fixture
def judged_group(project):
    """Two rollouts, judged and checked: the first has the better verdicts."""
    group = make_group(project)
    save_spec(group.prompt_revision.prompt, RUBRIC, words_at_most(3))
    run, checks = judged(project), checked(project)
    for rollout, answer in zip(group.rollouts.order_by("pk"), ("yes", "no"), strict=True):
        say(run, rollout, {"moon": answer, "plain": "yes"}, overall=6)
        outcomes(checks, rollout, "passed")
    return group


def get(client, path="", **headers):
    response = client.get(f"/p/tides/rollouts/{path}", headers=headers)
    assert response.status_code == 200, response.content
    return response.content.decode()


def words(html):
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_the_list_says_who_answered_and_what_came_of_it(author, project, judged_group):
    config = rewards.config_named(project=project, name="default")
    rewards.compute_rewards(project=project, config=config)
    make_group(project, rollouts=3, policy="other")

    page = words(get(author))

    # (.75 rubric is 1 or .25) + 1 + .6, over 3
    assert "policy 2 100.0 % 0.62 to 0.87" in page
    assert "other 3 – –" in page


def test_the_list_can_be_narrowed(author, project):
    first, second = make_group(project, policy="a"), make_group(project, policy="b")
    step = Batch.objects.create(project=project, policy=factories.make_policy(project), step=7)
    third = make_group(project, batch=step)

    def groups(query):
        return {int(one) for one in re.findall(r'/rollouts/groups/(\d+)/"', get(author, query))}

    assert groups("") == {first.pk, second.pk, third.pk}
    assert groups("?policy=b") == {second.pk}
    assert groups("?step=7") == {third.pk}
    assert groups(f"?prompt={first.prompt_revision.prompt.number}") == {first.pk}
    assert groups(f"?import={second.batch.source.number}") == {second.pk}
    assert "No group matches" in get(author, "?policy=nobody")
    assert author.get("/p/tides/rollouts/?step=x").status_code == 422


def test_the_list_takes_the_same_queries_for_any_number_of_groups(author, project, judged_group):
    def captured():
        with CaptureQueriesContext(connection) as queries:
            get(author)
        return [query["sql"] for query in queries.captured_queries]

    few = captured()
    for _ in range(5):
        make_group(project)
    many = captured()

    assert len(many) == len(few)
    assert not [sql for sql in many for name in PAYLOADS if name in sql]


def test_without_rollouts_the_list_says_how_to_get_some(author):
    assert "No rollouts yet" in get(author)


def test_the_matrix_links_each_cell_to_its_evidence(author, judged_group):
    page = get(author, f"groups/{judged_group.pk}/")

    verdict = Verdict.objects.get(criterion__key="moon", answer="no")
    outcome = CheckOutcome.objects.order_by("pk")[0]
    assert f"<a class=no href={verdict.pk}>No</a>" in page
    assert f"<a class=yes href=check-{outcome.pk}>Passed</a>" in page
    assert "orders changed if dropped, of 1" in page


def test_what_chooses_the_basis_stays_in_the_links(author, project, judged_group):
    run = project.runs.get()

    page = get(author, f"groups/{judged_group.pk}/?run={run.number}")

    assert f'?run={run.number}">Yes</a>' in page
    assert author.get(f"/p/tides/rollouts/groups/{judged_group.pk}/?run=99").status_code == 422
    assert author.get(f"/p/tides/rollouts/groups/{judged_group.pk}/?reward=x").status_code == 422


def test_a_cell_opens_in_the_drawer_and_has_an_address_of_its_own(author, judged_group):
    verdict = Verdict.objects.get(criterion__key="moon", answer="no")
    address = f"groups/{judged_group.pk}/{verdict.pk}"

    part, page = get(author, address, **HTMX), get(author, address)

    assert "<html" not in part
    # without it the rubric is 1 instead of .25, of three components
    assert "r2, criterion C1" in part
    assert "costs r2 0.250 of reward" in part
    assert "data-matrix" in page
    assert "r2, criterion C1" in page
    assert '<tr class="on">' in page


def test_an_outcome_opens_in_the_same_drawer(author, judged_group):
    outcome = CheckOutcome.objects.order_by("pk")[0]

    part = get(author, f"groups/{judged_group.pk}/check-{outcome.pk}", **HTMX)

    assert "r1, checker K1" in part
    assert 'rel="next"' in part


@pytest.mark.parametrize("cell", ["0", "999999", "check-999999", "check-", "x", "9" * 30])
def test_a_cell_that_is_not_there_is_not_found(author, judged_group, cell):
    assert author.get(f"/p/tides/rollouts/groups/{judged_group.pk}/{cell}").status_code == 404


def test_a_verdict_of_another_group_is_no_cell_of_this_one(author, project, judged_group):
    other = make_group(project)
    verdict = Verdict.objects.all()[0]

    assert author.get(f"/p/tides/rollouts/groups/{other.pk}/{verdict.pk}").status_code == 404


def test_looking_at_a_column_tells_what_it_decides(author, judged_group):
    part = get(author, f"groups/{judged_group.pk}/without/?column=moon")

    assert "Without C1" in part
    assert "1 of 1 orders changes" in words(part)
    response = author.get(f"/p/tides/rollouts/groups/{judged_group.pk}/without/?column=none")
    assert response.status_code == 404


def test_a_group_that_nobody_judged_says_what_to_do(author, project):
    group = make_group(project)

    page = get(author, f"groups/{group.pk}/")

    assert "Nothing is judged or checked yet" in page
    assert "/p/tides/runs/start/" in page


def test_the_small_model_is_named_meaningless(author, project, judged_group):
    run = project.runs.get()
    type(run).objects.filter(pk=run.pk).update(judge={"judge": {"embedded": True}})

    assert "meaningless judgement" in get(author, f"groups/{judged_group.pk}/")


def test_a_large_group_is_a_page_below_200_kb(author, project):
    """64 rollouts under 40 criteria, with ids as long as they get in a few years."""
    group = make_group(project, rollouts=64, policy="a-policy-with-a-name")
    rubric = [Criterion(f"criterion_number_{at}", f"Does thing {at} as asked.") for at in range(40)]
    spec = save_spec(group.prompt_revision.prompt, rubric)
    run = judged(project)
    rows = [
        Verdict(
            pk=10_000_000 + rollout.pk * 100 + at,
            run=run,
            rollout=rollout,
            criterion=criterion,
            state="scored",
            answer="part",
            score=0.5,
        )
        for rollout in group.rollouts.all()
        for at, criterion in enumerate(spec.criteria.all())
    ]
    Verdict.objects.bulk_create(rows)

    with CaptureQueriesContext(connection) as queries:
        page = get(author, f"groups/{group.pk}/")

    assert page.count("<a class=part") == 64 * 40
    assert len(page.encode()) < 200_000
    assert len(queries) < 25


def test_two_rollouts_are_compared_word_by_word_and_verdict_by_verdict(author, judged_group):
    first, second = judged_group.rollouts.order_by("pk").values_list("number", flat=True)

    page = get(author, f"compare/?a={first}&b={second}")

    assert "<del>0</del>" in page
    assert "<ins>1</ins>" in page
    # the answers to `moon` differ, those to `plain`, the checker and the global score do not
    assert "3 items are answered alike" in page
    assert "<del>" not in get(author, f"compare/?a={first}&b={second}&show=text")


def test_rollouts_of_different_prompts_can_be_compared_with_a_warning(author, project):
    one, two = make_group(project), make_group(project)

    page = get(author, f"compare/?a={one.rollouts.first().number}&b={two.rollouts.first().number}")

    assert "These answer different prompts" in page
    assert author.get("/p/tides/rollouts/compare/?a=1").status_code == 422
    assert author.get("/p/tides/rollouts/compare/?a=1&b=999").status_code == 404


def test_what_was_said_of_a_rollout_is_a_part_of_its_page(author, judged_group):
    number = judged_group.rollouts.order_by("pk").first().number

    part = words(get(author, f"{number}/said/"))

    assert "rank 1 of 2" in part
    assert "Names the Moon." in part


def test_what_was_said_of_a_rollout_without_a_spec_is_nothing(author, project):
    group = make_group(project)

    part = get(author, f"{group.rollouts.first().number}/said/")

    assert "neither a judge nor a checker has looked at it" in part
