"""The checkers of a bundle over responses: data in process, generated code in the jail."""

from __future__ import annotations

from collections.abc import Sequence

from rubricstudio.core.bundle import Bundle
from rubricstudio.core.checkers.generated import code_of
from rubricstudio.core.checkers.registry import Checklist
from rubricstudio.core.checkers.segmentation import DocumentView
from rubricstudio.core.types import CheckCause, CheckOutcome, CheckResult, SpecValue
from rubricstudio.llm.conversation import last_user_text
from rubricstudio.sandbox.checking import check_generated
from rubricstudio.sandbox.errors import GeneratedCodeRefused
from rubricstudio.sandbox.jail import INTERPRETER, Jail, shared


class BundleChecks:
    """Asks the constraints of a bundle's specs about responses.

    ``jail`` is the process's own unless another is given. ``notice`` says where this Python is
    another than the one that generated checkers were validated with; empty where it is not.
    """

    def __init__(self, bundle: Bundle, *, jail: Jail | None = None) -> None:
        self._bundle = bundle
        self._jail = jail
        frozen = bundle.interpreter
        self.notice = (
            f"the generated checkers of this bundle were validated with {frozen}, and this is "
            f"{INTERPRETER}: their outcomes may differ"
            if frozen and frozen != INTERPRETER
            else ""
        )

    def check(self, prompt_id: str, responses: Sequence[str]) -> list[list[CheckOutcome]]:
        """For each response the outcomes of the prompt's constraints, in their order.

        Raises :class:`BundleError` for an unknown prompt, and :class:`JailBroken` where the jail
        itself failed, so that nothing is known and the same may be asked again.
        """
        spec = self._bundle.spec(prompt_id=prompt_id)
        views = [DocumentView(one) for one in responses]
        checklist = Checklist(spec.constraints)
        rows = [checklist.check(view) for view in views]
        for place, outcomes in self._generated(spec, views).items():
            for row, outcome in zip(rows, outcomes, strict=True):
                row[place] = outcome
        return rows

    def _generated(
        self, spec: SpecValue, views: Sequence[DocumentView]
    ) -> dict[int, list[CheckOutcome]]:
        """By the place of the constraint, the outcomes of its code for each view."""
        codes = {
            place: self._bundle.code(sha256)
            for place, one in enumerate(spec.constraints)
            if (sha256 := code_of(one))
        }
        if not codes:
            return {}
        jail, instruction = self._jail or shared(), last_user_text(spec.prompt)
        try:
            rows = check_generated(jail, list(codes.values()), instruction, views)
        except GeneratedCodeRefused as error:
            refused = CheckOutcome(CheckResult.UNAVAILABLE, CheckCause.REFUSED, str(error))
            rows = [[refused] * len(views) for _ in codes]
        return dict(zip(codes, rows, strict=True))
