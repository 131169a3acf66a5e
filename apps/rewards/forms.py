"""What is computed, and how: the choice of runs, and the settings of a configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.judging.models import CheckRun, JudgeRun
from apps.rewards.services import DEFAULT
from rubricstudio.core.rewards import HybridSettings

ANY: Final = {"min": 0, "step": "any"}
NEWEST: Final = ("", gettext_lazy("the newest that is complete"))


class ComputeForm(forms.Form):
    """From which runs rewards are computed, and by which configuration."""

    config = forms.ChoiceField(
        label=gettext_lazy("Configuration"),
        help_text=gettext_lazy(
            "Its newest version counts. “default” follows the settings of the project."
        ),
    )
    judge_run = forms.ChoiceField(
        label=gettext_lazy("Judge run"),
        required=False,
        help_text=gettext_lazy("Its verdicts, and those of the runs it continues."),
    )
    check_run = forms.ChoiceField(
        label=gettext_lazy("Check run"),
        required=False,
        help_text=gettext_lazy("What the checkers said of each rollout."),
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        configs: Sequence[str],
        judge_runs: Sequence[JudgeRun],
        check_runs: Sequence[CheckRun],
        **values: Any,
    ) -> None:
        super().__init__(data, **values)
        names = [DEFAULT, *(name for name in configs if name != DEFAULT)]
        self._offer("config", [(name, name) for name in names])
        judged = {str(one.number): one for one in judge_runs}
        checked = {str(one.number): one for one in check_runs}
        self._offer("judge_run", [NEWEST, *((at, _judge_label(one)) for at, one in judged.items())])
        self._offer(
            "check_run", [NEWEST, *((at, _check_label(one)) for at, one in checked.items())]
        )
        self._judged, self._checked = judged, checked

    def _offer(self, name: str, choices: Sequence[tuple[Any, Any]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - as declared above
        field.choices = choices

    def wish(self) -> dict[str, Any]:
        """The chosen runs as the services take them; None leaves the choice to them."""
        said = self.cleaned_data
        return {
            "judge_run": self._judged.get(said["judge_run"]),
            "check_run": self._checked.get(said["check_run"]),
        }


def _judge_label(run: JudgeRun) -> str:
    judge = run.judge.get("judge", {})
    return _("run %(number)d: %(model)s, %(state)s") % {
        "number": run.number,
        "model": judge.get("model", ""),
        "state": run.get_state_display().lower(),
    }


def _check_label(run: CheckRun) -> str:
    return _("check run %(number)d") % {"number": run.number}


def _number(label: Any, help_text: Any, **attributes: Any) -> forms.FloatField:
    widget = forms.NumberInput(attrs={**ANY, **attributes})
    return forms.FloatField(label=label, help_text=help_text, widget=widget)


class ConfigForm(forms.Form):
    """The settings of the hybrid reward; what a field means stands under it."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=80,
        help_text=gettext_lazy(
            "Saving under a name that is there makes its next version; versions never change."
        ),
        widget=forms.TextInput(attrs={"dir": "auto", "list": "names", "autocomplete": "off"}),
    )
    components = forms.ChoiceField(
        label=gettext_lazy("Components"),
        help_text=gettext_lazy("The reward is their mean; the global score counts alpha times."),
        choices=[
            ("R+G+C", gettext_lazy("Rubric, global score and code")),
            ("R+C", gettext_lazy("Rubric and code")),
            ("R+G", gettext_lazy("Rubric and global score")),
            ("G+C", gettext_lazy("Global score and code")),
            ("R", gettext_lazy("Rubric alone")),
            ("G", gettext_lazy("Global score alone")),
        ],
    )
    alpha_kind = forms.ChoiceField(
        label=gettext_lazy("Alpha"),
        help_text=gettext_lazy(
            "A schedule needs the training step of the rollouts; without one use constant."
        ),
        choices=[
            ("constant", gettext_lazy("Constant")),
            ("linear", gettext_lazy("Linear: down to 0 at a step")),
            ("step", gettext_lazy("In steps")),
        ],
    )
    alpha_value = _number(
        gettext_lazy("Value of alpha"),
        gettext_lazy("How much the global score counts beside 1 for rubric and 1 for code."),
    )
    alpha_decay = _number(
        gettext_lazy("Step at which alpha is 0"),
        gettext_lazy("For the linear schedule: alpha × max(0, 1 − step / this)."),
        min=1,
    )
    alpha_steps = forms.CharField(
        label=gettext_lazy("Steps of alpha"),
        required=False,
        help_text=gettext_lazy(
            "For alpha in steps: a line each with the first step and the value, such as 400 0.5."
        ),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    advantage_kind = forms.ChoiceField(
        label=gettext_lazy("Advantage"),
        help_text=gettext_lazy(
            "How far a reward lies from the mean of its group, and in what unit."
        ),
        choices=[
            ("center_scale", gettext_lazy("Scale × (reward − mean), as in the paper")),
            ("std", gettext_lazy("(reward − mean) / (deviation + epsilon)")),
            ("plain", gettext_lazy("reward − mean")),
        ],
    )
    advantage_scale = _number(
        gettext_lazy("Scale"), gettext_lazy("For the first kind of advantage.")
    )
    advantage_eps = _number(
        gettext_lazy("Epsilon"),
        gettext_lazy("For the second: keeps small deviations from exploding."),
    )
    missing_kind = forms.ChoiceField(
        label=gettext_lazy("When something was not scored"),
        help_text=gettext_lazy(
            "Rewards of a group are compared, so what one rollout lacks must not help it."
        ),
        choices=[
            ("drop_item_for_group", gettext_lazy("The item counts for nobody in the group")),
            ("unscore_response", gettext_lazy("That rollout gets no reward")),
            ("fail", gettext_lazy("It counts as failed")),
            ("reject", gettext_lazy("Below the least coverage the group gets no reward")),
        ],
    )
    min_coverage = _number(
        gettext_lazy("Least coverage"),
        gettext_lazy("For the last of these: the share of cells that have to be scored."),
        max=1,
    )
    checker_error = forms.ChoiceField(
        label=gettext_lazy("When a checker breaks"),
        help_text=gettext_lazy("Either way it is counted and flagged."),
        choices=[
            ("unavailable", gettext_lazy("It has no answer")),
            ("fail", gettext_lazy("The rollout fails it, as in the paper")),
        ],
    )
    clip = forms.BooleanField(
        label=gettext_lazy("Keep points between 0 and 1"),
        required=False,
        help_text=gettext_lazy("Where a rubric takes points away, the share could fall below 0."),
    )

    @staticmethod
    def initial_of(settings: HybridSettings) -> dict[str, Any]:
        """The fields as these settings have them."""
        steps = "\n".join(f"{begin} {value:g}" for begin, value in settings.alpha.steps)
        return {
            "components": settings.components.value,
            "alpha_kind": settings.alpha.kind.value,
            "alpha_value": settings.alpha.value,
            "alpha_decay": settings.alpha.decay,
            "alpha_steps": steps,
            "advantage_kind": settings.advantage.kind.value,
            "advantage_scale": settings.advantage.scale,
            "advantage_eps": settings.advantage.eps,
            "missing_kind": settings.missing.kind.value,
            "min_coverage": settings.missing.min_coverage,
            "checker_error": settings.checker_error.kind.value,
            "clip": settings.points.clip,
        }

    def clean_alpha_steps(self) -> list[list[float]]:
        """Pairs of a step and a value; what they may be is said by the settings themselves."""
        pairs = [line.split() for line in self.cleaned_data["alpha_steps"].splitlines()]
        try:
            return [[int(begin), float(value)] for begin, value in filter(None, pairs)]
        except ValueError:
            raise forms.ValidationError(
                _("Write a step and a value on each line, such as 400 0.5.")
            ) from None

    def settings(self) -> dict[str, Any]:
        """As the service takes them; what only another kind uses keeps its default."""
        said = self.cleaned_data
        return {
            "aggregator": "hybrid",
            "components": said["components"],
            "alpha": _chosen(said, "alpha", linear=["decay"], step=["steps"]),
            "advantage": _chosen(said, "advantage", center_scale=["scale"], std=["eps"]),
            "missing": {
                "kind": said["missing_kind"],
                **(
                    {"min_coverage": said["min_coverage"]}
                    if said["missing_kind"] == "reject"
                    else {}
                ),
            },
            "checker_error": {"kind": said["checker_error"]},
            "points": {"clip": said["clip"]},
        }


def _chosen(said: Mapping[str, Any], name: str, **used_by: Sequence[str]) -> dict[str, Any]:
    """A choice with its kind and the parameters that this kind uses."""
    kind = said[f"{name}_kind"]
    used = [*(["value"] if name == "alpha" else []), *used_by.get(kind, [])]
    return {"kind": kind, **{one: said[f"{name}_{one}"] for one in used}}
