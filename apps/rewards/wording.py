"""What is said of rewards: why there is none, what a flag means, what a component is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

REASONS: Final[Mapping[str, Promise]] = {
    "no_spec": _("The prompt had no spec, so there was nothing to score by."),
    "no_step": _("Alpha follows the training step, and the rollouts of the group share none."),
    "unusable_spec": _("The spec cannot be scored by this configuration."),
    "not_judged": _("Nothing was said about this rollout: no verdict and no check."),
    "stale": _("All that was said is about an older text of the spec."),
    "other_judge": _("Another judge than the run's own gave the verdicts, and a group mixes none."),
    "missing_item": _("Something was not scored, and the configuration gives no reward then."),
    "below_coverage": _("Less of the group was scored than the configuration asks for."),
    "nothing_scored": _("None of its verdicts and checks has a score."),
    "no_weight": _("What was scored has no weight under this configuration."),
}
"""Why a rollout has no reward, by what is stored."""

FLAGS: Final[Mapping[str, Promise]] = {
    "item_dropped": _("an item counts for nobody, because a rollout of the group lacks it"),
    "component_dropped": _("a whole component counts for nobody"),
    "checker_refused": _("a checker never counts: it was refused or is in quarantine"),
    "error_as_fail": _("a checker's error was counted as a failure"),
    "off_scale": _("a verdict lay outside its scale and was left out"),
    "below_coverage": _("less was scored than the configuration asks for"),
    "nothing_scored": _("a rollout has nothing that was scored"),
    "no_weight": _("a rollout has nothing with a weight"),
    "unscored_member": _("a rollout has no reward, because something of it was not scored"),
    "single": _("only one rollout has a reward, so its advantage is 0"),
    "zero_signal": _("all rewards are equal: a trainer learns nothing from this group"),
    "stale": _("verdicts about an older text of the spec were left out"),
    "other_judge": _("verdicts of another judge were left out"),
}
"""What a flag of a group means."""

COMPONENTS: Final[Mapping[str, Promise]] = {
    "rubric": _("rubric"),
    "code": _("code"),
    "global": _("global"),
}


def reason_sentence(reason: str) -> str:
    """A sentence for a stored reason; one that this version does not know is shown as it is."""
    return str(REASONS.get(reason, reason.replace("_", " ")))


def flag_meaning(flag: str) -> str:
    return str(FLAGS.get(flag, flag.replace("_", " ")))
