"""The pages of rewards, as people of a project get them."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import Role
from apps.activity.models import Job
from apps.judging.models import Verdict
from apps.rewards import selectors, services, tasks
from apps.rewards.models import Reward, RewardConfig, RewardRun
from apps.rewards.services import background, config_named
from rubricstudio.core.types import Scale
from tests import factories
from tests.apps.rewards.world import (
    WEIGHTS,
    checked,
    criteria,
    judged,
    outcomes,
    save_spec,
    say,
    words_at_most,
)

pytestmark = pytest.mark.django_db
PAYLOADS = ('"messages"', '"tools"', '"columns"', '"given"', '"line"', '"judge"')


@pytest.fixture
def author(client, project):
    client.force_login(factories.make_member(project, Role.AUTHOR))
    return client


@pytest.fixture
def world(project, prompt, group):
    """Two rollouts of one prompt, judged and checked, and one of a prompt without a spec."""
    save_spec(prompt, criteria(WEIGHTS), words_at_most(5))
    run, checks = judged(project), checked(project)
    better, worse = (factories.make_rollout(prompt, group=group) for _ in range(2))
    say(run, better, {"cause": "yes", "twice": "refused", "plain": "yes", "short": "no"}, overall=8)
    say(run, worse, {"cause": "no", "twice": "no", "plain": "yes", "short": "no"}, overall=2)
    outcomes(checks, better, "failed")
    outcomes(checks, worse, "passed")
    alone = factories.make_rollout(factories.make_prompt(project, key="other"), policy="other")
    return better, worse, alone


@pytest.fixture
def computed(project, world):
    return services.compute_rewards(
        project=project, config=config_named(project=project, name="default")
    )


def text(client, address, **headers):
    response = client.get(f"/p/tides/rewards/{address}", headers=headers)
    assert response.status_code == 200, response.content.decode()
    return response.content.decode()


def test_without_rewards_the_list_says_what_comes_first(author):
    assert "No rewards yet" in text(author, "")


def test_the_list_shows_number_configuration_runs_mean_and_reasons(author, computed):
    page = text(author, "")

    for shown in ("Reward run 1", "default v1", "run 1", "check run 1", "1 no spec"):
        assert shown in page
    mean = f"{computed.summary['mean']:.3f}"
    assert mean in page


def test_a_list_reads_no_payloads_and_takes_the_same_queries_for_any_number(
    author, project, computed
):
    for name in ("a", "b", "c"):
        config = services.save_config(project=project, name=name, settings={"aggregator": "hybrid"})
        services.compute_rewards(project=project, config=config)

    with CaptureQueriesContext(connection) as queries:
        text(author, "")

    assert len(queries) <= 7
    assert [one for one in PAYLOADS for query in queries if f"{one}," in query["sql"]] == []


def test_computing_leads_to_the_run(author, project, world):
    response = author.post("/p/tides/rewards/compute/", {"config": "default"}, follow=True)

    run = RewardRun.objects.get(project=project)
    assert response.redirect_chain[-1][0] == f"/p/tides/rewards/{run.number}/"
    assert "Reward run 1 is computed." in response.content.decode()
    assert run.requested_by is not None


def test_computing_the_same_again_says_that_nothing_has_changed(author, computed):
    response = author.post("/p/tides/rewards/compute/", {"config": "default"}, follow=True)

    assert "Nothing has changed since reward run 1" in response.content.decode()
    assert RewardRun.objects.count() == 1


def test_the_chosen_runs_and_configuration_are_used(author, project, world):
    services.save_config(project=project, name="own", settings={"aggregator": "hybrid"})
    judged(project)
    wish = {"config": "own", "judge_run": "1", "check_run": "1"}

    author.post("/p/tides/rewards/compute/", wish)

    run = RewardRun.objects.get()
    assert (run.config.name, run.judge_run and run.judge_run.number) == ("own", 1)


def test_without_anything_judged_the_form_says_so(author):
    response = author.post("/p/tides/rewards/compute/", {"config": "default"})

    assert response.status_code == 422
    assert "Nothing was judged or checked yet" in response.content.decode()


def test_a_large_project_is_computed_in_the_background(
    author, project, world, monkeypatch, django_capture_on_commit_callbacks
):
    monkeypatch.setattr(background, "MOST_AT_ONCE", 2)
    sent: list[int] = []
    monkeypatch.setattr("apps.rewards.views.runs.enqueue_job", sent.append)

    with django_capture_on_commit_callbacks(execute=True):
        response = author.post("/p/tides/rewards/compute/", {"config": "default"}, follow=True)

    job = Job.objects.get(kind=selectors.REWARD_JOB)
    assert sent == [job.pk]
    page = response.content.decode()
    assert "Rewards are being computed." in page
    assert 'hx-trigger="every 2s"' in page

    tasks.compute_rewards(job_id=job.pk, **job.arguments)

    job.refresh_from_db()
    assert (job.state, job.result) == (Job.State.DONE, {"reward_run": 1})
    assert "hx-trigger" not in text(author, "", hx_request="true")


def test_a_job_that_cannot_compute_says_why(author, project, world, monkeypatch):
    config = config_named(project=project, name="default")
    job = services.start_computing(project=project, config=config)
    run = selectors.judge_runs_to_offer(project)[0]
    run.state, run.finished_at = "running", None
    run.save()

    tasks.compute_rewards(job_id=job.pk)

    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert "is not over yet" in job.error


def test_two_wishes_for_the_same_are_one_job(project, world):
    config = config_named(project=project, name="default")

    first, second = (services.start_computing(project=project, config=config) for _ in range(2))

    assert first == second


def test_a_run_shows_statistics_with_n_interval_and_rule(author, computed):
    page = text(author, "1/")

    assert "Mean reward" in page
    assert "n = 2, over scored rollouts; one prompt gives no interval" in page
    assert "The prompt had no spec" in page
    assert "an item counts for nobody" in page


def test_a_run_draws_its_rewards_with_the_numbers_as_a_table(author, computed):
    page = text(author, "1/")

    assert 'id="chart-rewards"' in page
    # Two rewards in twenty stretches; what has none is drawn in no stretch.
    bins = selectors.histogram(computed)
    assert (len(bins), sum(one.count for one in bins)) == (20, 2)
    for one in bins:
        assert f"{one.low:.2f}–{one.high:.2f}" in page


@pytest.mark.parametrize(
    ("rewards", "ends", "counts"),
    [
        ([0.0, 0.999, 1.0], (0.0, 1.0), [1] + [0] * 18 + [2]),
        ([-0.5, 1.5], (-0.5, 1.5), [1] + [0] * 18 + [1]),
        ([0.3], (0.0, 1.0), [0] * 6 + [1] + [0] * 13),
    ],
)
def test_the_ends_of_the_histogram_hold_the_least_and_the_best_reward(
    project, prompt, rewards, ends, counts
):
    run = factories.make_reward_run(judged(project))
    for reward in rewards:
        rollout = factories.make_rollout(prompt)
        Reward.objects.create(run=run, rollout=rollout, reward=reward, coverage=1)

    bins = selectors.histogram(run)

    assert (bins[0].low, bins[-1].high) == pytest.approx(ends)
    assert [one.count for one in bins] == counts


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", {1, 2, 3}),
        ("prompt=1", {1, 2}),
        ("policy=other", {3}),
        ("reason=scored", {1, 2}),
        ("reason=unscored", {3}),
        ("reason=no_spec", {3}),
        ("flag=item_dropped", {1, 2}),
        ("least=0.5", {1}),
        ("below=0.5", {2}),
        ("least=2", set()),
    ],
)
def test_filters_narrow_the_rewards(author, computed, query, shown):
    page = text(author, f"1/?{query}")

    found = {int(number) for number in re.findall(r'href="/p/tides/rewards/1/(\d+)/"', page)}
    assert found == shown
    assert ("No reward matches" in page) == (not shown)


@pytest.mark.parametrize("query", ["least=much", "least=nan", "prompt=x", "reason=because"])
def test_a_filter_that_means_nothing_is_refused_with_a_sentence(author, computed, query):
    response = author.get(f"/p/tides/rewards/1/?{query}")

    assert response.status_code == 422


def test_the_rewards_of_a_run_read_no_texts(author, project, computed):
    with CaptureQueriesContext(connection) as queries:
        text(author, "1/")

    payloads = [name for name in PAYLOADS[:5] for query in queries if name in query["sql"]]
    assert payloads == []
    assert len(queries) <= 9


def test_why_shows_the_formula_with_its_numbers_and_the_evidence(author, world, computed):
    page = text(author, f"1/{world[0].number}/")

    # The item that was refused counts for nobody: rubric (5 + 2) / 8, code 0 / 1, global 8 / 10.
    assert "= (0.875 + 0.000 + 1 × 0.800) / (1 + 1 + 1)" in page
    assert "= 7 / 8" in page
    assert "Counts for nobody" in page
    assert "Unscored: refused" in page
    assert "8 of 10" in page


def test_a_reward_of_one_component_is_that_component(author, project, world):
    config = services.save_config(
        project=project, name="own", settings={"aggregator": "hybrid", "components": "R"}
    )
    services.compute_rewards(project=project, config=config)

    assert "= rubric</span> <strong>= 0.875" in text(author, f"1/{world[0].number}/")


def test_a_verdict_about_an_older_text_is_struck_through_and_leads_to_itself(
    author, project, prompt, world
):
    save_spec(prompt, criteria({"cause": 5}) + criteria({"twice": 3}, scale=Scale.BINARY))
    services.compute_rewards(project=project, config=config_named(project=project, name="default"))

    page = text(author, f"1/{world[1].number}/")

    stale = Verdict.objects.get(rollout=world[1], criterion__key="twice")
    assert 'class="chip no stale" title="No (of an older text)"' in page
    assert f"/runs/verdicts/{stale.pk}/" in page


def test_every_link_of_a_reward_leads_somewhere(author, world, computed):
    part = text(author, f"1/{world[0].number}/", hx_request="true")

    links = set(re.findall(r'href="(/[^"]*)"', part))
    kinds = (
        "prompts/1/",
        "rollouts/1/",
        "rollouts/groups/",
        "specs/1/",
        "runs/1/",
        "runs/checks/1/",
    )
    assert all(any(kind in link for link in links) for kind in (*kinds, "runs/verdicts/"))
    assert {link: author.get(link).status_code for link in links} == dict.fromkeys(links, 200)


def test_why_is_a_part_for_the_drawer_when_htmx_asks(author, world, computed):
    part = text(author, f"1/{world[0].number}/", hx_request="true")

    assert "<html" not in part
    assert "data-drawer-title" in part


def test_why_there_is_no_reward_is_a_sentence(author, world, computed):
    page = text(author, f"1/{world[2].number}/")

    assert "The prompt had no spec, so there was nothing to score by." in page


def test_the_embedded_models_judgement_is_called_meaningless(author, project, prompt, group):
    save_spec(prompt, criteria({"cause": 1}))
    rollout = factories.make_rollout(prompt, group=group)
    run = judged(project, judge={"judge": {"model": "small", "embedded": True}, "global": {}})
    say(run, rollout, {"cause": "yes"})
    services.compute_rewards(project=project, config=config_named(project=project, name="default"))

    for address in ("1/", f"1/{rollout.number}/"):
        assert "meaningless judgement" in text(author, address)


def test_a_rollout_that_is_not_in_the_run_is_not_found(author, computed):
    assert author.get("/p/tides/rewards/1/99/").status_code == 404
    assert author.get("/p/tides/rewards/9/").status_code == 404


FIELDS = {
    "name": "own",
    "components": "R+C",
    "alpha_kind": "constant",
    "alpha_value": "0.5",
    "alpha_decay": "800",
    "alpha_steps": "",
    "advantage_kind": "center_scale",
    "advantage_scale": "6",
    "advantage_eps": "0.0001",
    "missing_kind": "reject",
    "min_coverage": "0.9",
    "checker_error": "fail",
    "clip": "on",
}


def test_a_configuration_is_saved_with_every_setting(author, project):
    response = author.post("/p/tides/rewards/configurations/new/", FIELDS, follow=True)

    config = RewardConfig.objects.get(name="own")
    assert "Saved as own v1." in response.content.decode()
    assert config.settings["components"] == "R+C"
    assert config.settings["alpha"]["value"] == 0.5
    assert config.settings["missing"] == {"version": 1, "kind": "reject", "min_coverage": 0.9}
    assert config.settings["checker_error"]["kind"] == "fail"


def test_saving_under_a_name_that_is_there_makes_the_next_version(author, project):
    author.post("/p/tides/rewards/configurations/new/", FIELDS)
    author.post("/p/tides/rewards/configurations/new/", {**FIELDS, "alpha_value": "0.25"})

    assert sorted(RewardConfig.objects.values_list("version", flat=True)) == [1, 2]


def test_alpha_in_steps_is_read_line_by_line(author, project):
    steps = {**FIELDS, "alpha_kind": "step", "alpha_steps": "0 1\r\n400 0.5\r\n"}

    author.post("/p/tides/rewards/configurations/new/", steps)

    assert RewardConfig.objects.get().settings["alpha"]["steps"] == [[0, 1.0], [400, 0.5]]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": "default"}, "which follows the project"),
        ({"alpha_kind": "step"}, "alpha has steps exactly when its kind is step"),
        ({"alpha_kind": "step", "alpha_steps": "early 1"}, "such as 400 0.5"),
        ({"alpha_value": "-1"}, "has to be 0 or more"),
        ({"min_coverage": "2"}, "1 at most"),
    ],
)
def test_settings_that_cannot_be_are_said_in_the_form(author, project, change, sentence):
    response = author.post("/p/tides/rewards/configurations/new/", {**FIELDS, **change})

    assert response.status_code == 422
    assert sentence in response.content.decode().replace("&#x27;", "'")
    assert not RewardConfig.objects.exists()


def test_a_new_configuration_may_begin_from_another(author, project):
    config = services.save_config(
        project=project,
        name="own",
        settings={"aggregator": "hybrid", "alpha": {"kind": "constant", "value": 0.125}},
    )

    page = text(author, f"configurations/new/?from={config.pk}")

    assert 'value="0.125"' in page
    assert 'value="own"' in page


def test_a_version_is_shown_in_full_with_the_runs_that_used_it(author, computed):
    page = text(author, f"configurations/{computed.config_id}/")

    assert computed.config.sha256 in page
    assert "advantage · scale" in page
    assert 'href="/p/tides/rewards/1/"' in page


def test_the_configurations_are_listed_with_their_versions(author, project, computed):
    assert "default v1" in text(author, "configurations/")


def test_who_only_reads_is_offered_nothing_to_write(client, project, computed):
    client.force_login(factories.make_member(project, Role.AUDITOR))

    assert "Compute rewards" not in text(client, "")
    assert client.get("/p/tides/rewards/compute/").status_code == 403
    assert client.get("/p/tides/rewards/configurations/new/").status_code == 403
