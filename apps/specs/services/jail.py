"""Generated checkers, run through the jail of this process."""

from __future__ import annotations

from collections.abc import Sequence

from apps.activity.errors import ApplicationError
from rubricstudio.core.types import CheckCause, CheckOutcome, CheckResult
from rubricstudio.sandbox.doctor import Diagnosis, diagnose
from rubricstudio.sandbox.errors import GeneratedCodeRefused, JailBroken, SandboxError
from rubricstudio.sandbox.jail import shared
from rubricstudio.sandbox.ladder import Ladder


class NoJail(ApplicationError):
    """There is no jail, or it failed: nothing is known of any response. May be tried again."""


def run_generated(
    codes: Sequence[str], *, instruction: str, responses: Sequence[str]
) -> list[list[CheckOutcome]]:
    """What generated checkers say of responses: one list per checker, in order.

    `instruction` is the last user turn of the prompt. Where this machine cannot hold generated
    code, every outcome is unavailable and says so. Raises `NoJail` when the jail failed.
    """
    try:
        answers = shared().check(codes, instruction, responses)
    except GeneratedCodeRefused as error:
        refused = CheckOutcome(CheckResult.UNAVAILABLE, CheckCause.REFUSED, str(error))
        return [[refused] * len(responses) for _ in codes]
    except JailBroken as error:
        raise NoJail(str(error)) from error
    return [[one.as_outcome() for one in row] for row in answers]


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
