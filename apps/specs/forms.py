"""What a person says when specs are made."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.specs import services

METHODS = [
    (services.AUTO, _("What was published with a prompt, and the rest by the model")),
    (services.GIVEN, _("What was published with a prompt alone: no model is asked")),
    (services.MODEL, _("Everything by the model, whatever was published")),
]


class MakeForm(forms.Form):
    """Which specs a job makes, and how."""

    method = forms.ChoiceField(
        label=_("Where rubric and constraints come from"),
        choices=METHODS,
        initial=services.AUTO,
        widget=forms.RadioSelect,
    )
    limit = forms.IntegerField(
        label=_("How many prompts at most"),
        help_text=_("Empty: all of them. A few show whether it works."),
        min_value=1,
        required=False,
    )
    remake = forms.BooleanField(
        label=_("Make a further version where a prompt has a spec already"), required=False
    )
