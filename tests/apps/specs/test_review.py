import pytest

from apps.accounts.models import Role
from apps.activity.errors import BadInput, Conflict, NotAllowed
from apps.specs import services
from apps.specs.models import Spec
from tests.factories import make_member, make_project, make_prompt, make_spec, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project()


@pytest.fixture
def author(project):
    return make_member(project, Role.AUTHOR, Role.REVIEWER)


@pytest.fixture
def reviewer(project):
    return make_member(project, Role.REVIEWER)


@pytest.fixture
def spec(project, author):
    return make_spec(make_prompt(project), author=author)


def in_review(spec, author):
    return services.request_review(spec, actor=author)


def test_a_second_person_makes_a_candidate(spec, author, reviewer):
    in_review(spec, author)

    approved = services.approve(spec, actor=reviewer, reason="sound")

    assert (approved.state, approved.approved_by) == ("candidate", reviewer)


def test_the_author_cannot_approve_their_own_spec(spec, author):
    in_review(spec, author)

    with pytest.raises(NotAllowed, match="Somebody else than its author"):
        services.approve(spec, actor=author)


def test_the_author_may_where_the_project_says_so(project, spec, author):
    project.settings = {"approval_needs_second_person": False}
    project.save()
    in_review(spec, author)

    assert services.approve(spec, actor=author).state == "candidate"


def test_a_stranger_cannot_approve(spec, author):
    in_review(spec, author)

    with pytest.raises(NotAllowed, match="is no reviewer of the project"):
        services.approve(spec, actor=make_user())


def test_a_draft_is_reviewed_before_it_is_approved(spec, reviewer):
    with pytest.raises(Conflict, match="Only a version under review can be approved"):
        services.approve(spec, actor=reviewer)


def test_review_is_asked_for_once(spec, author):
    in_review(spec, author)

    with pytest.raises(Conflict, match="Only a draft can be sent to review"):
        services.request_review(spec, actor=author)


def test_an_older_version_cannot_be_approved(spec, author, reviewer):
    in_review(spec, author)
    make_spec(spec.prompt_revision.prompt)

    with pytest.raises(Conflict, match="A newer version"):
        services.approve(spec, actor=reviewer)


def test_a_spec_that_cannot_score_stays_a_draft(project, author, reviewer):
    empty = make_spec(make_prompt(project), author=author)
    empty_again = Spec.objects.create(
        prompt_revision=empty.prompt_revision, version=2, spec_id="0" * 64, line="{}", method="x"
    )
    in_review(empty_again, author)

    with pytest.raises(Conflict, match="cannot score"):
        services.approve(empty_again, actor=reviewer)


def test_all_that_can_score_is_approved_in_one_act(project, reviewer):
    specs = [make_spec(make_prompt(project, f"prompt {number}")) for number in range(3)]

    approved = services.approve_all(project, actor=reviewer, reason="for the first bundle")

    assert approved == 3
    event = project.events.get(verb="specs.approved")
    assert (event.actor, event.detail["specs"]) == (reviewer, [one.pk for one in specs])


def test_approving_all_again_does_nothing(project, reviewer):
    make_spec(make_prompt(project))
    services.approve_all(project, actor=reviewer)

    assert services.approve_all(project, actor=reviewer) == 0


def test_who_wrote_one_cannot_approve_all(project, spec, author):
    with pytest.raises(NotAllowed, match="1 spec was written by the same person"):
        services.approve_all(project, actor=author)


def test_a_frozen_spec_has_a_date_and_stays(project, reviewer):
    spec = make_spec(make_prompt(project))
    services.approve_all(project, actor=reviewer)

    frozen = services.freeze_specs([spec.pk])

    spec.refresh_from_db()
    assert (frozen, spec.state) == (1, "frozen")
    assert services.freeze_specs([spec.pk]) == 0


def test_a_draft_cannot_be_frozen(spec):
    with pytest.raises(Conflict, match="1 spec is not approved yet"):
        services.freeze_specs([spec.pk])


def test_a_review_that_was_asked_for_can_be_withdrawn(spec, author):
    in_review(spec, author)

    assert services.withdraw_review(spec, actor=author).state == "draft"
    with pytest.raises(Conflict, match="is draft by now"):
        services.withdraw_review(spec, actor=author)


def test_a_reviewer_sends_back_with_a_reason(spec, author, reviewer):
    in_review(spec, author)
    services.approve(spec, actor=reviewer)

    back = services.send_back(spec, actor=reviewer, reason="C1 holds two requirements.")

    assert (back.state, back.approved_by, back.approved_at) == ("draft", None, None)


def test_sending_back_needs_a_reason_and_a_reviewer(project, spec, author, reviewer):
    in_review(spec, author)

    with pytest.raises(BadInput, match="Say what has to change"):
        services.send_back(spec, actor=reviewer, reason=" ")
    with pytest.raises(NotAllowed, match="is no reviewer"):
        services.send_back(spec, actor=make_member(project, Role.AUTHOR), reason="No.")


def test_an_approval_can_be_withdrawn_until_a_bundle_froze_it(spec, author, reviewer):
    in_review(spec, author)
    services.approve(spec, actor=reviewer)

    assert services.withdraw_approval(spec, actor=reviewer).state == "in_review"

    services.approve(spec, actor=reviewer)
    services.freeze_specs([spec.pk])
    with pytest.raises(Conflict, match="is frozen by now"):
        services.withdraw_approval(spec, actor=reviewer)
    with pytest.raises(Conflict, match="is frozen by now"):
        services.send_back(spec, actor=reviewer, reason="Too late.")


def test_chosen_specs_are_approved_in_one_act_and_the_others_wait(project, reviewer):
    chosen, other, old = (make_spec(make_prompt(project)) for _ in range(3))
    make_spec(old.prompt_revision.prompt)

    approved = services.approve_some(project, pks=[chosen.pk, old.pk], actor=reviewer)

    assert approved == 1
    states = dict(Spec.objects.values_list("pk", "state"))
    assert (states[chosen.pk], states[other.pk], states[old.pk]) == ("candidate", "draft", "draft")
