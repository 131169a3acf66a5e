"""What is frozen under which name, and why open items of the checklist are taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.rewards.services import DEFAULT

AUTO = {"dir": "auto"}
REASON = "reason_"


class FreezeForm(forms.Form):
    """The name and the configuration of a bundle, and why each open item is taken as it is."""

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

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        configs: Sequence[str],
        items: Mapping[str, object] = MappingProxyType({}),
        **values: Any,
    ) -> None:
        """`items` are the open ones: their names, and what should be so."""
        super().__init__(data, **values)
        names = [DEFAULT, *(name for name in configs if name != DEFAULT)]
        cast(forms.ChoiceField, self.fields["config"]).choices = [(name, name) for name in names]
        self._items = items
        for item, title in items.items():
            self.fields[f"{REASON}{item}"] = _reason(title)

    def reason_for(self, item: str) -> forms.BoundField | None:
        """The field for the reason of an item; None where it is not open."""
        return self[f"{REASON}{item}"] if item in self._items else None

    @property
    def reasons(self) -> dict[str, str]:
        """Why each open item is taken, by its name."""
        return {item: self.cleaned_data[f"{REASON}{item}"] for item in self._items}


def _reason(title: object) -> forms.CharField:
    return forms.CharField(
        label=_("Why “%(title)s” may stay open") % {"title": title},
        max_length=2000,
        help_text=gettext_lazy("It stands in the bundle beside your name, for whoever trains."),
        widget=forms.Textarea(attrs={**AUTO, "rows": 2}),
        error_messages={"required": gettext_lazy("Put it right, or say why it may stay open.")},
    )
