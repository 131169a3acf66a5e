"""The freeze checklist: open items block, unless a person takes them and says why."""

import pytest

from apps.accounts.models import Role
from apps.accounts.services import change_settings
from apps.activity.errors import BadInput, Conflict, NotAllowed
from apps.bundles.models import Bundle
from apps.calls.models import ModelEndpoint
from apps.calls.services import seed_models
from apps.prompts.models import Import
from apps.specs.models import Spec
from rubricstudio.core.types import Constraint
from tests import factories
from tests.apps.bundles.conftest import MODEL
from tests.apps.rewards.world import criteria, save_spec

pytestmark = pytest.mark.django_db


def blocked(freeze, project, **values):
    """The open items that freezing stops at, by name."""
    with pytest.raises(Conflict) as conflict:
        freeze(project, **values)
    return {item["item"]: item for item in conflict.value.extra["items"]}


def test_with_nothing_open_it_freezes(ready, freeze):
    assert freeze(ready).waived == ()


def test_specs_that_nobody_approved_are_open(ready, freeze, prompt):
    save_spec(prompt, criteria({"cause": 1}))

    items = blocked(freeze, ready)

    assert items["unapproved_specs"]["count"] == 1
    assert "a reviewer has to approve" in items["unapproved_specs"]["reason"]


def test_constraints_that_no_checker_answers_are_open(ready, freeze, prompt, reviewer):
    refused = (Constraint("rhymes"), Constraint("limerick"))
    save_spec(prompt, criteria({"cause": 1}), refused)

    items = blocked(freeze, ready, approve_as=reviewer)

    assert items.keys() == {"refused_constraints"}
    assert items["refused_constraints"]["count"] == 2


def test_constraints_that_exclude_each_other_are_open(ready, freeze, prompt, reviewer):
    few = Constraint("word_count", {"op": "le", "value": 10})
    many = Constraint("word_count", {"op": "ge", "value": 20})
    save_spec(prompt, criteria({"cause": 1}), [few, many])

    items = blocked(freeze, ready, approve_as=reviewer)

    assert items.keys() == {"contradictory_constraints"}
    told = "word count: at most 10 and at least 20 cannot both be"
    assert told in items["contradictory_constraints"]["reason"]


def test_a_source_without_a_licence_is_open(ready, freeze, project, reviewer):
    save_spec(factories.make_prompt(project, "Say ho."), criteria({"short": 1}))

    assert blocked(freeze, ready, approve_as=reviewer).keys() == {"unknown_licences"}


def test_a_forgotten_licence_is_said_by_importing_the_same_file_again(
    ready, freeze, project, reviewer
):
    first = factories.make_import(project)
    prompt = factories.make_prompt(project, "Say ho.", source=first)
    save_spec(prompt, criteria({"short": 1}))
    for owner, licence in ((factories.make_project(), "another"), (project, ""), (project, "CC0")):
        again = factories.make_import(owner, licence=licence, url="https://example.org/ho")
        Import.objects.filter(pk=again.pk).update(sha256=first.sha256)

    manifest = freeze(ready, approve_as=reviewer).bundle.manifest

    (source,) = (one for one in manifest["sources"] if one["sha256"] == first.sha256)
    assert (source["licence"], source["url"]) == ("CC0", "https://example.org/ho")


def test_criteria_without_a_judge_are_open(project, prompt, reviewer, freeze):
    assert blocked(freeze, project, approve_as=reviewer).keys() == {"no_judge"}


def test_the_embedded_small_model_as_judge_is_open(ready, freeze):
    ModelEndpoint.objects.update(is_embedded=True)

    assert blocked(freeze, ready).keys() == {"embedded_judge"}


def test_the_refusal_names_every_item_with_its_count_and_what_to_do(project, prompt, freeze):
    with pytest.raises(Conflict) as conflict:
        freeze(project)

    assert conflict.value.message == (
        "The freeze checklist has open items. 1 spec is not approved (prompt 1): a reviewer has to "
        "approve what is frozen. 1 spec has criteria: no model plays the judge, so set one. "
        "Or waive them with a reason."
    )


class TestWaiving:
    def test_it_takes_every_open_item_and_the_manifest_says_who_and_why(
        self, project, prompt, reviewer, freeze
    ):
        bundle = freeze(project, waive=" Only a trial. ", actor=reviewer).bundle

        said = {"count": 1, "reason": "Only a trial.", "by": "reviewer"}
        assert bundle.manifest["waivers"] == [
            {"item": "unapproved_specs", **said},
            {"item": "no_judge", **said},
        ]

    def test_an_item_that_is_not_named_stays_open(self, project, prompt, freeze):
        with pytest.raises(Conflict) as conflict:
            freeze(project, waive={"unapproved_specs": "Only a trial."})

        assert [one["item"] for one in conflict.value.extra["items"]] == ["no_judge"]

    def test_each_item_keeps_the_reason_that_was_given_for_it(self, project, prompt, freeze):
        reasons = {"unapproved_specs": "Only a trial.", "no_judge": " Code alone scores. "}

        waivers = freeze(project, waive=reasons).bundle.manifest["waivers"]

        assert {one["item"]: one["reason"] for one in waivers} == {
            "unapproved_specs": "Only a trial.",
            "no_judge": "Code alone scores.",
        }

    def test_a_spec_that_was_not_approved_stays_a_draft(self, project, prompt, freeze):
        freeze(project, waive="Only a trial.")

        assert Spec.objects.get().state == "draft"

    def test_a_reason_without_an_open_item_waives_nothing(self, ready, freeze):
        assert freeze(ready, waive="Only a trial.").bundle.manifest["waivers"] == []

    def test_what_was_waived_once_is_frozen_without_asking_again(self, project, prompt, freeze):
        first = freeze(project, waive="Only a trial.")

        assert freeze(project).bundle == first.bundle

    def test_no_reason_is_no_waiver(self, project, prompt, freeze):
        with pytest.raises(BadInput, match="Say why"):
            freeze(project, waive="  ")


class TestApproving:
    @pytest.fixture(autouse=True)
    def model(self):
        seed_models(MODEL)

    def test_a_reviewer_approves_what_is_not_approved(self, project, prompt, reviewer, freeze):
        frozen = freeze(project, approve_as=reviewer)

        spec = Spec.objects.get()
        assert (frozen.approved, spec.state, spec.approved_by) == (1, "frozen", reviewer)

    def test_somebody_who_is_no_reviewer_may_not(self, project, prompt, freeze):
        author = factories.make_member(project, Role.AUTHOR)

        with pytest.raises(NotAllowed, match="is no reviewer"):
            freeze(project, approve_as=author)

    def test_nobody_approves_their_own_specs(self, project, prompt, reviewer, freeze):
        save_spec(prompt, criteria({"cause": 1}), author=reviewer)

        with pytest.raises(NotAllowed, match="somebody else has to approve it"):
            freeze(project, approve_as=reviewer)

    def test_a_project_may_allow_that(self, project, prompt, reviewer, freeze):
        save_spec(prompt, criteria({"cause": 1}), author=reviewer)
        change_settings(project=project, changes={"approval_needs_second_person": False})

        assert freeze(project, approve_as=reviewer).is_new

    def test_nothing_is_approved_where_nothing_is_frozen(self, project, prompt, reviewer, freeze):
        ModelEndpoint.objects.update(is_embedded=True)

        blocked(freeze, project, approve_as=reviewer)

        assert Spec.objects.get().state == "draft"
        assert not Bundle.objects.exists()
