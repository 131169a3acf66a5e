"""What a person says to start a run."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.judging.models import JudgeRun

MOST_NAMED = 5_000
PART = re.compile(r"(\d{1,9})(?:\s*[-\N{EN DASH}]\s*(\d{1,9}))?")


class StartRunForm(forms.Form):
    """Which rollouts, how they are asked about, and how often."""

    rollouts = forms.CharField(
        label=gettext_lazy("Rollouts"),
        required=False,
        help_text=gettext_lazy("Numbers such as 3, 7, 20-40. Empty: all whose prompt has a spec."),
    )
    limit = forms.IntegerField(
        label=gettext_lazy("At most"),
        required=False,
        min_value=1,
        help_text=gettext_lazy("The first rollouts by number; empty: no limit."),
    )
    output_mode = forms.ChoiceField(
        label=gettext_lazy("Answers"),
        choices=JudgeRun.OutputMode.choices,
        help_text=gettext_lazy("A label alone is faster, and gives neither evidence nor reason."),
    )
    samples = forms.IntegerField(
        label=gettext_lazy("Samples"),
        min_value=1,
        max_value=100,
        initial=1,
        help_text=gettext_lazy("How often each question is asked."),
    )

    def clean_rollouts(self) -> list[int] | None:
        """The numbers that were named; None for all."""
        text = self.cleaned_data["rollouts"].strip()
        return _numbers(text) if text else None

    def wish(self) -> dict[str, Any]:
        """What `start_run` takes."""
        return {name: self.cleaned_data[name] for name in self.fields}


def _numbers(text: str) -> list[int]:
    numbers: dict[int, None] = {}
    for part in filter(None, re.split(r"[,;\s]+(?![-\N{EN DASH}])", text)):
        match = PART.fullmatch(part.strip())
        if match is None:
            raise forms.ValidationError(
                _("%(part)r is no number of a rollout: write such as 3, 7, 20-40.")
                % {"part": part[:40]}
            )
        first = int(match[1])
        last = int(match[2] or first)
        if last < first:
            raise forms.ValidationError(
                _("%(part)s runs backwards: write %(last)d-%(first)d.")
                % {"part": part, "last": last, "first": first}
            )
        if last - first >= MOST_NAMED or len(numbers) > MOST_NAMED:
            raise forms.ValidationError(
                _("These are more than %(most)d rollouts: leave it empty and set a limit.")
                % {"most": MOST_NAMED}
            )
        numbers.update(dict.fromkeys(range(first, last + 1)))
    return list(numbers)
