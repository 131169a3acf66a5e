"""Generated checkers in check runs: through the jail, with causes, records and quarantine."""

from __future__ import annotations

from typing import Any

import pytest

from apps.accounts.models import Project
from apps.activity.models import AuditEvent, Job
from apps.judging.models import CheckOutcome
from apps.judging.services import carry_checks, run_checks, start_checks
from apps.specs import services as specs
from apps.specs.models import Checker, CheckerRecord
from apps.specs.services.drafts import Draft, DraftConstraint, Origin
from rubricstudio.core.checkers.generated import code_sha256, wanted_constraint
from rubricstudio.core.types import Constraint
from rubricstudio.sandbox.errors import JailBroken
from rubricstudio.sandbox.jail import Jail
from tests.factories import make_member, make_project, make_prompt, make_rollout, newest

pytestmark = pytest.mark.django_db


def checker(body: str) -> str:
    return f"def check_following(instruction, response):\n    {body}\n"


HAS_A = checker("return 'a' in response")
RAISES = checker("return response.index('zz') > 0")
DIES = checker("return [[]] * 10**10 == response")


@pytest.fixture
def project() -> Project:
    return make_project(settings={"generated_checkers": True})


def make_checked(project: Project, *codes: str, responses: tuple[str, ...] = ("abc", "xyz")) -> Any:
    """A prompt whose spec has these generated checkers behind one that is data."""
    prompt = make_prompt(project, "Say a.")
    drafts = [DraftConstraint.of(Constraint("contain", {"phrases": ["abc"]}), origin=Origin.RULES)]
    drafts += [
        DraftConstraint.generated(
            wanted_constraint(f"number {at}"), origin=Origin.MODEL, code=code, validation={}
        )
        for at, code in enumerate(codes)
    ]
    for text in responses:
        make_rollout(prompt, text)
    return specs.save_draft(newest(prompt), draft=Draft(constraints=tuple(drafts)))


def told(project: Project) -> list[tuple[str, str]]:
    """Result and cause by rollout, then by position."""
    rows = CheckOutcome.objects.filter(run__project=project).order_by(
        "-run", "rollout", "checker__constraint__position"
    )
    return list(rows.values_list("result", "cause"))


def test_data_and_code_answer_side_by_side(project):
    make_checked(project, HAS_A)

    report = run_checks(project=project)

    assert told(project) == [("passed", "ok"), ("passed", "ok"), ("failed", "ok"), ("failed", "ok")]
    assert (report.passed, report.failed) == (2, 2)


def test_code_is_given_the_last_user_turn(project):
    make_checked(project, checker("return instruction == 'Say a.'"))

    assert run_checks(project=project).passed == 1 + 2


def test_a_checker_that_breaks_is_unavailable_with_its_cause(project):
    make_checked(project, RAISES, HAS_A)

    run_checks(project=project)

    assert told(project)[1] == ("unavailable", "exception")
    assert told(project)[2] == ("passed", "ok")
    outcome = CheckOutcome.objects.filter(cause="exception").first()
    assert outcome
    assert outcome.reason == "ValueError: substring not found"


def test_where_they_are_switched_off_generated_checkers_are_unavailable(project):
    project.settings = {}
    project.save()
    make_checked(project, HAS_A)

    run_checks(project=project)

    assert told(project)[1] == ("unavailable", "refused")
    assert not CheckerRecord.objects.exists()


def test_switching_them_on_makes_another_run(project):
    project.settings = {}
    project.save()
    make_checked(project, HAS_A)
    first = run_checks(project=project).run
    project.settings = {"generated_checkers": True}
    project.save()

    again = run_checks(project=project)

    assert again.run != first
    assert again.unavailable == 0


def test_each_run_adds_to_the_record_of_the_code(project):
    make_checked(project, HAS_A)

    run_checks(project=project)

    record = CheckerRecord.objects.get(project=project)
    assert record.code_sha256 == code_sha256(HAS_A)
    assert (record.passed, record.failed, record.errors, record.hard) == (1, 1, 0, 0)


def test_equal_code_is_asked_about_equal_responses_once(project):
    make_checked(project, HAS_A, HAS_A, responses=("abc", "abc", "abc"))

    run_checks(project=project)

    assert CheckerRecord.objects.get().passed == 1
    assert len(told(project)) == 9


def test_a_checker_that_breaks_three_times_is_put_into_quarantine_and_not_asked_again(project):
    make_checked(project, DIES, responses=("a", "b", "c"))

    run_checks(project=project)

    record = CheckerRecord.objects.get()
    assert record.quarantine.startswith("it ran out of time, ran out of memory or crashed 3 times")
    assert AuditEvent.objects.filter(verb="checker.quarantined").exists()
    assert told(project)[1] == ("unavailable", "memory")

    run_checks(project=project)

    assert told(project)[1] == ("unavailable", "quarantined")
    assert CheckerRecord.objects.get().errors == 3


def test_a_quarantine_ends_when_somebody_looked_at_it(project):
    make_checked(project, DIES, responses=("a", "b", "c"))
    run_checks(project=project)
    reviewer = make_member(project)

    record = specs.release(record=CheckerRecord.objects.get(), actor=reviewer, reason="looked")

    assert (record.quarantine, record.errors, record.released_by) == ("", 0, reviewer)
    assert AuditEvent.objects.get(verb="checker.released").actor_id == reviewer.pk
    assert specs.in_quarantine(project, [record.code_sha256]) == {}


def test_a_quarantine_holds_in_its_own_project_alone(project):
    make_checked(project, DIES, responses=("a", "b", "c"))
    run_checks(project=project)
    other = make_project(settings={"generated_checkers": True})

    assert specs.in_quarantine(other, [code_sha256(DIES)]) == {}


def test_a_broken_jail_pauses_the_job_and_counts_as_no_outcome(project, monkeypatch):
    make_checked(project, HAS_A)
    job = start_checks(project=project)

    def broken(*_: object) -> None:
        raise JailBroken("the jail was lost twice in one batch")

    with monkeypatch.context() as patch:
        patch.setattr(Jail, "check", broken)
        carry_checks(job=job, worker="test")

    job.refresh_from_db()
    assert job.state == Job.State.PAUSED
    assert "lost twice" in job.error
    assert told(project) == []
    assert not CheckerRecord.objects.exists()

    assert run_checks(project=project).checks == 4


def test_a_system_without_a_jail_leaves_them_unavailable_and_says_so(project, monkeypatch):
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    monkeypatch.setattr("rubricstudio.sandbox.jail._shared", None)
    make_checked(project, HAS_A)

    run_checks(project=project)

    outcome = CheckOutcome.objects.filter(result="unavailable").first()
    assert outcome
    assert "this is macOS" in outcome.reason
    assert CheckerRecord.objects.get().errors == 0


def test_a_version_that_a_person_saves_keeps_the_code(project):
    spec = make_checked(project, HAS_A)
    author = make_member(project)

    saved = specs.save_version(spec, value=spec.as_value(), author=author)

    (kept,) = Checker.objects.filter(constraint__spec=saved, origin="generated")
    assert kept.code == HAS_A
    assert kept.constraint.origin == Origin.MODEL
    assert saved.as_value().constraints == spec.as_value().constraints
