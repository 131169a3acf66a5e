"""What is frozen under which name, and which open items of the checklist are taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.rewards.services import DEFAULT

AUTO = {"dir": "auto"}


class FreezeForm(forms.Form):
    """The name and the configuration of a bundle; with open items also who takes them, and why."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=100,
        help_text=gettext_lazy("Freezing under a name that is there makes its next version."),
        widget=forms.TextInput(attrs={**AUTO, "autocomplete": "off"}),
    )
    config = forms.ChoiceField(
        label=gettext_lazy("Reward configuration"),
        help_text=gettext_lazy("It is written into the bundle with every setting."),
    )
    waived = forms.MultipleChoiceField(
        required=False, widget=forms.CheckboxSelectMultiple, label=gettext_lazy("Open items")
    )
    reason = forms.CharField(
        label=gettext_lazy("Why they are taken"),
        required=False,
        max_length=2000,
        help_text=gettext_lazy("It stands in the bundle beside your name, for whoever trains."),
        widget=forms.Textarea(attrs={**AUTO, "rows": 2}),
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        configs: Sequence[str],
        items: Sequence[tuple[str, str]] = (),
        **values: Any,
    ) -> None:
        """`items` are the open ones: their names and what was found."""
        super().__init__(data, **values)
        names = [DEFAULT, *(name for name in configs if name != DEFAULT)]
        self._offer("config", [(name, name) for name in names])
        self._offer("waived", items)
        self._items = [name for name, _found in items]

    def _offer(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - as declared above
        field.choices = list(choices)

    def clean(self) -> dict[str, Any]:
        """Every open item has to be taken by name, and with a reason."""
        said = super().clean() or self.cleaned_data
        left = [name for name in self._items if name not in said.get("waived", ())]
        if left:
            self.add_error("waived", _("Put each open item right, or tick it to take it as it is."))
        if self._items and not left and not said.get("reason", "").strip():
            self.add_error("reason", _("Say why the ticked items are taken."))
        return said

    @property
    def waiver(self) -> str | None:
        """The reason for taking open items; None where there are none."""
        return str(self.cleaned_data["reason"]) if self._items else None
