"""Generated checkers, run through the jail of this process."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from apps.activity.errors import ApplicationError
from rubricstudio.core.checkers.segmentation import DocumentView
from rubricstudio.core.types import CheckCause, CheckOutcome, CheckResult
from rubricstudio.sandbox.checking import check_generated
from rubricstudio.sandbox.doctor import Diagnosis, diagnose
from rubricstudio.sandbox.errors import GeneratedCodeRefused, JailBroken, SandboxError
from rubricstudio.sandbox.jail import shared
from rubricstudio.sandbox.ladder import Ladder


class NoJail(ApplicationError):
    """There is no jail, or it failed: nothing is known of any response. May be tried again."""


def run_generated(
    codes: Sequence[str], *, instruction: str, views: Sequence[DocumentView]
) -> list[list[CheckOutcome]]:
    """What generated checkers say of responses: one list per checker, in the order of the views.

    `instruction` is the last user turn of the prompt. Where this machine cannot hold generated
    code, every outcome is unavailable and says so. Raises `NoJail` when the jail failed.
    """
    try:
        return check_generated(shared(), codes, instruction, views)
    except GeneratedCodeRefused as error:
        refused = CheckOutcome(CheckResult.UNAVAILABLE, CheckCause.REFUSED, str(error))
        return [[refused] * len(views) for _ in codes]
    except JailBroken as error:
        raise NoJail(str(error)) from error


def switched_off() -> CheckOutcome:
    """The outcome of a generated checker in a project that has them switched off."""
    told = _("generated checkers are switched off in this project")
    return CheckOutcome(CheckResult.UNAVAILABLE, CheckCause.REFUSED, told)


def diagnose_jail() -> Diagnosis:
    """Which walls stand and hold here. Raises `NoJail` where there can be none."""
    try:
        return diagnose()
    except SandboxError as error:
        raise NoJail(str(error)) from error


def jail_ladder() -> Ladder:
    """Which walls the jail of this process has; starts it if need be. Raises `NoJail`."""
    try:
        return shared().ladder()
    except SandboxError as error:
        raise NoJail(str(error)) from error
