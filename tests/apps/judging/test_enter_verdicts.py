"""Verdicts that a person wrote: a run like any other, which says who judged."""

import pytest

from apps.activity.errors import BadInput
from apps.activity.models import AuditEvent
from apps.judging import selectors, services
from apps.judging.models import JudgeRun, Verdict
from apps.judging.services import EnteredVerdict
from rubricstudio.core.types import FailureCause, UnscoredReason
from rubricstudio.core.types import Verdict as Value
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return factories.make_project("tides")


@pytest.fixture
def place(project):
    """A rollout with a spec of two criteria: what an entered verdict is about."""
    prompt = factories.make_prompt(project)
    spec = factories.make_spec(prompt, "Names the Moon.", "Is short.")
    return factories.make_rollout(prompt), spec


def entered(place, *values, evidence=""):
    rollout, spec = place
    keys = [*spec.criteria.values_list("pk", flat=True), None]
    return [
        EnteredVerdict(rollout.pk, spec.pk, key, value, evidence)
        for key, value in zip(keys, values, strict=False)
    ]


ALL = (Value.scored("yes", 1.0), Value.scored("no", 0.0), Value.scored("8", 8.0))


def test_the_run_is_over_and_names_its_judge(project, place):
    run = services.enter_verdicts(entered(place, *ALL), project=project, judge="written by hand")

    progress = selectors.progress_of(run)
    assert (run.state, run.expected, progress.scored) == (JudgeRun.State.DONE, 3, 3)
    assert run.judge["judge"]["model"] == run.judge["global"]["model"] == "written by hand"
    assert run.job is not None
    assert run.job.state == "done"
    assert AuditEvent.objects.filter(verb="run.started", target_id=run.pk).exists()


def test_each_verdict_keeps_its_evidence_and_says_that_a_person_wrote_it(project, place):
    verdicts = entered(place, *ALL, evidence="The Moon pulls")

    services.enter_verdicts(verdicts, project=project, judge="written by hand")

    row = Verdict.objects.get(criterion__isnull=True)
    assert (row.score, row.evidence, row.flags) == (8.0, "The Moon pulls", [services.BY_HAND])
    assert row.call_id is None


def test_a_persons_sentence_is_the_reason_and_what_it_quotes_is_marked(project, place):
    rollout, _spec = place
    quoting = f"“{rollout.messages[0]['content'][:8]}” is the cause."
    cases = {quoting: True, "It is right throughout.": False}

    for sentence, is_marked in cases.items():
        run = services.enter_verdicts(
            entered(place, *ALL, evidence=sentence), project=project, judge="Ada"
        )
        told = services.tell_verdict(run.verdicts.filter(criterion__isnull=False)[0])
        assert (told.reason, told.found, bool(told.quote)) == (sentence, is_marked, is_marked)


def test_what_is_unscored_or_failed_keeps_its_reason_and_has_no_score(project, place):
    values = (Value.unscored(UnscoredReason.REFUSED), Value.failed(FailureCause.TIMEOUT), ALL[2])

    run = services.enter_verdicts(entered(place, *values), project=project, judge="by hand")

    progress = selectors.progress_of(run)
    assert progress.unscored_by_reason == {"refused": 1}
    assert progress.failed_by_cause == {"timeout": 1}
    assert run.state == JudgeRun.State.DONE


def test_a_criterion_without_a_verdict_is_refused_and_nothing_is_kept(project, place):
    with pytest.raises(BadInput, match="have no verdict"):
        services.enter_verdicts(entered(place, ALL[0]), project=project, judge="by hand")

    assert not JudgeRun.objects.exists()


def test_another_person_is_another_judge(project, place):
    first, second = (
        services.enter_verdicts(entered(place, *ALL), project=project, judge=name)
        for name in ("Ada", "Grace")
    )

    assert first.judge_sha256 != second.judge_sha256
