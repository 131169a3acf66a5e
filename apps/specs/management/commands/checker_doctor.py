"""`manage.py checker_doctor`: which walls hold generated checkers on this machine."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from apps.activity.management.base import FlowCommand, Outcome
from apps.specs import services
from rubricstudio.sandbox.doctor import Diagnosis


class Command(FlowCommand):
    help = "Put up the walls of the jail for generated checkers, try each, and tell how they stand."
    result_on_error = {"ladder": "refused", "layers": {}, "trials": {}}

    def run(self, **options: Any) -> Outcome:
        diagnosis = services.diagnose_jail()
        ladder = diagnosis.ladder
        for layer in ladder.layers:
            stands = _("stands") if layer.stands else _("FELL")
            self.say(f"{layer.name:12} {stands:7} {layer.how}")
        for trial in diagnosis.trials:
            held = _("held") if trial.held else _("LEAKED")
            self.say(f"{trial.name:26} {held:7} {trial.how}")
        self.say(ladder.meaning)
        return Outcome(_result(diagnosis), complete=diagnosis.well)


def _result(diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "ladder": diagnosis.ladder.rung.value,
        "layers": {one.name: one.stands for one in diagnosis.ladder.layers},
        "trials": {one.name: one.held for one in diagnosis.trials},
    }
