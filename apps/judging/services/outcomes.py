"""What the checkers of one prompt revision say of its responses, data and code alike.

Equal checkers are asked about equal responses once. Generated checkers go through the jail, all of
a revision and a batch of its responses at a time; what they did is added to their records, and one
in quarantine is not asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from apps.accounts import project_settings
from apps.accounts.models import Project
from apps.judging.selectors import Response
from apps.specs import services as specs
from apps.specs.models import Checker as CheckerRow
from rubricstudio.core.checkers.generated import quarantined
from rubricstudio.core.checkers.registry import Checklist
from rubricstudio.core.checkers.segmentation import DocumentView
from rubricstudio.core.types import CheckOutcome
from rubricstudio.sandbox.limits import RESPONSES_A_BATCH

T = TypeVar("T")
Origin = CheckerRow.Origin
Said = tuple[Response, CheckerRow, CheckOutcome]
Shown = tuple[str, bool]
"""What a checker sees of a response: its text, and whether it was cut off."""


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of at most `size`."""
    iterator = iter(items)
    while some := list(islice(iterator, size)):
        yield some


@dataclass(frozen=True)
class Asking:
    """The checkers of one prompt revision; `instruction` is what they take for the prompt."""

    project: Project
    checkers: Sequence[CheckerRow]
    instruction: str

    def outcomes(self, responses: Iterable[Response]) -> Iterator[Said]:
        """One outcome per response and checker. Raises `NoJail` where the jail failed."""
        known: dict[Shown, dict[str, CheckOutcome]] = {}
        checklist = self._checklist()
        for some in chunks(responses, RESPONSES_A_BATCH):
            new = {_shown(one) for one in some} - known.keys()
            known |= self._ask(sorted(new), checklist)
            for response in some:
                for row in self.checkers:
                    yield response, row, known[_shown(response)][row.content_sha256]

    def _checklist(self) -> tuple[list[str], Checklist]:
        native = {
            row.content_sha256: row.constraint.as_value()
            for row in self.checkers
            if row.origin == Origin.NATIVE
        }
        return list(native), Checklist(native.values())

    def _ask(
        self, shown: Sequence[Shown], checklist: tuple[list[str], Checklist]
    ) -> dict[Shown, dict[str, CheckOutcome]]:
        views = [DocumentView(text, truncated=truncated) for text, truncated in shown]
        names, native = checklist
        found = [dict(zip(names, native.check(view), strict=True)) for view in views]
        for code, outcomes in self._generated(views).items():
            for one, outcome in zip(found, outcomes, strict=True):
                one[code] = outcome
        return dict(zip(shown, found, strict=True))

    def _generated(self, views: Sequence[DocumentView]) -> Mapping[str, list[CheckOutcome]]:
        """By the hash of the code, the outcomes for each view."""
        codes = {
            row.content_sha256: row.code for row in self.checkers if row.origin == Origin.GENERATED
        }
        if not codes or not views:
            return {}
        if not project_settings.load(self.project).generated_checkers:
            return {code: [specs.switched_off()] * len(views) for code in codes}
        held = specs.in_quarantine(self.project, codes)
        asked = {code: text for code, text in codes.items() if code not in held}
        rows = specs.run_generated(list(asked.values()), instruction=self.instruction, views=views)
        found = dict(zip(asked, rows, strict=True))
        for code, outcomes in found.items():
            specs.note_outcomes(project=self.project, code_sha256=code, outcomes=outcomes)
        return found | {code: [quarantined(why)] * len(views) for code, why in held.items()}


def _shown(response: Response) -> Shown:
    return response.text, response.truncated
