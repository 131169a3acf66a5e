"""Reward configurations: an aggregator with every setting in full, by name and version.

The configuration `default` follows the project's settings; the others are what somebody saved. A
change is a new version, and equal settings are the version that is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts import project_settings
from apps.accounts.models import Project, User
from apps.activity import services as activity
from apps.activity.errors import BadInput, Conflict
from apps.rewards import selectors
from apps.rewards.models import RewardConfig
from rubricstudio.core.canonical import canonical_hash
from rubricstudio.core.rewards import (
    Aggregator,
    CheckerErrorRule,
    HybridSettings,
    MissingRule,
    aggregator_from_dict,
)
from rubricstudio.core.rewards.cells import CheckerErrorKind
from rubricstudio.core.rewards.missing import MissingKind

DEFAULT: Final = "default"


def aggregator_of(config: RewardConfig) -> Aggregator:
    """The aggregator that a configuration sets up."""
    return aggregator_from_dict(config.settings)


def default_settings(project: Project) -> dict[str, Any]:
    """Hybrid R+G+C with alpha 1, with the rules for gaps that the project has set."""
    chosen = project_settings.load(project)
    settings = HybridSettings(
        missing=MissingRule(MissingKind(chosen.missing), chosen.min_coverage),
        checker_error=CheckerErrorRule(CheckerErrorKind(chosen.checker_error)),
    )
    return dict(settings.to_dict())


def config_named(*, project: Project, name: str, author: User | None = None) -> RewardConfig:
    """The newest version of a configuration; `default` is made when it is first asked for.

    Raises BadInput for an unknown name.
    """
    if name == DEFAULT:
        return _saved(project, name, default_settings(project), author)
    config = selectors.newest_config(project, name)
    if config is None:
        known = ", ".join(dict.fromkeys([DEFAULT, *selectors.config_names(project)]))
        raise BadInput(
            _("There is no reward configuration %(name)r; the project has %(known)s.")
            % {"name": name, "known": known}
        )
    return config


def config_as_named(project: Project, name: str) -> RewardConfig:
    """What `config_named` would give, for pages that only look: a new `default` stays unsaved."""
    if name != DEFAULT:
        return config_named(project=project, name=name)
    settings = default_settings(project)
    of_name = RewardConfig.objects.filter(project=project, name=name)
    known = of_name.filter(sha256=canonical_hash(settings)).first()
    return known or RewardConfig(
        project=project, name=name, version=of_name.count() + 1, settings=settings
    )


def save_config(
    *, project: Project, name: str, settings: Mapping[str, Any], author: User | None = None
) -> RewardConfig:
    """The configuration with these settings: a new version where they are not the newest one's.

    Settings that are left out take their defaults and are written out. Raises BadInput for the
    name, SettingsError for the settings, Conflict for those of an earlier version.
    """
    longest = RewardConfig._meta.get_field("name").max_length or 0
    if name == DEFAULT or not name.strip() or len(name) > longest:
        raise BadInput(
            _(
                "A reward configuration needs a name of 1 to %(longest)d characters other than "
                "%(default)s, which follows the project's settings."
            )
            % {"longest": longest, "default": DEFAULT}
        )
    config = _saved(project, name, aggregator_from_dict(settings).to_dict(), author)
    newest = selectors.newest_config(project, name)
    if newest is not None and newest != config:
        raise Conflict(
            _(
                "These are the settings of %(config)s, and %(newest)s came after it: save them "
                "under another name."
            )
            % {"config": config, "newest": newest}
        )
    return config


@transaction.atomic
def _saved(
    project: Project, name: str, settings: Mapping[str, Any], author: User | None
) -> RewardConfig:
    # Savers of one project take turns, so that versions have no gaps and no twins.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    sha256 = canonical_hash(settings)
    known = RewardConfig.objects.filter(project=project, name=name, sha256=sha256).first()
    if known is not None:
        return known
    newest = selectors.newest_config(project, name)
    config = RewardConfig.objects.create(
        project=project,
        name=name,
        version=newest.version + 1 if newest else 1,
        aggregator=settings["aggregator"],
        settings=settings,
        sha256=sha256,
        author=author,
    )
    activity.record(
        verb="reward_config.saved",
        target=config,
        project=project,
        actor=author,
        detail={"name": name, "version": config.version},
    )
    return config
