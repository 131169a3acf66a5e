"""Reward configurations: named, versioned, never changed."""

import pytest
from django.db import DatabaseError, transaction

from apps.accounts.services import change_settings
from apps.activity.errors import BadInput, Conflict
from apps.rewards import services
from apps.rewards.models import RewardConfig
from rubricstudio.core.errors import SettingsError

pytestmark = pytest.mark.django_db

RUBRIC_ONLY = {"aggregator": "hybrid", "components": "R"}


def named(project, name="default"):
    return services.config_named(project=project, name=name)


def save(project, settings, name="rubric only"):
    return services.save_config(project=project, name=name, settings=settings)


def test_the_default_is_the_papers_hybrid_with_every_choice_written_out(project):
    settings = named(project).settings

    assert settings["components"] == "R+G+C"
    assert (settings["alpha"]["kind"], settings["alpha"]["value"]) == ("constant", 1.0)
    assert settings["missing"]["kind"] == "drop_item_for_group"
    assert (settings["advantage"]["kind"], settings["advantage"]["scale"]) == ("center_scale", 6.0)


def test_the_default_follows_the_settings_of_the_project(project):
    before = named(project)

    change_settings(project=project, changes={"missing": "reject", "min_coverage": 0.9})
    after = named(project)

    assert (before.version, after.version) == (1, 2)
    assert after.settings["missing"] == {"version": 1, "kind": "reject", "min_coverage": 0.9}


def test_equal_settings_are_the_version_that_is_there(project):
    first = save(project, RUBRIC_ONLY)

    # The same settings, with a default said aloud.
    again = save(project, {**RUBRIC_ONLY, "alpha": {"kind": "constant"}})

    assert again == first


def test_a_change_is_the_next_version_and_a_name_means_the_newest(project):
    save(project, RUBRIC_ONLY)

    second = save(project, {**RUBRIC_ONLY, "components": "R+G"})

    assert second.version == 2
    assert named(project, "rubric only") == second


def test_going_back_to_earlier_settings_needs_another_name(project):
    save(project, RUBRIC_ONLY)
    save(project, {**RUBRIC_ONLY, "components": "R+G"})

    with pytest.raises(Conflict, match="rubric only v1, and rubric only v2 came after it"):
        save(project, RUBRIC_ONLY)


@pytest.mark.parametrize("name", ["default", " ", "x" * 81])
def test_a_name_that_cannot_be_given_is_refused(project, name):
    with pytest.raises(BadInput, match="other than default"):
        save(project, RUBRIC_ONLY, name=name)


def test_an_unknown_name_is_answered_with_the_known_ones(project):
    save(project, RUBRIC_ONLY)

    with pytest.raises(BadInput, match="the project has default, rubric only"):
        named(project, "other")


def test_wrong_settings_are_refused_with_a_sentence(project):
    with pytest.raises(SettingsError, match="has no setting 'beta'"):
        save(project, {**RUBRIC_ONLY, "beta": {}})


def test_a_configuration_never_changes(project):
    config = save(project, RUBRIC_ONLY)

    with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
        RewardConfig.objects.filter(pk=config.pk).update(settings={})
