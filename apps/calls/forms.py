"""What people type in about model servers and roles; the rules are the services' own."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.calls.models import ModelEndpoint, Origin
from apps.calls.services.configuring import SEEDED
from rubricstudio.llm.client import OutputMode, Thinking

PLAIN = {"autocapitalize": "none", "spellcheck": "false", "autocomplete": "off"}
KEPT, FORGOTTEN = "keep", "forget"
PRICES = ("prompt", "completion")


def _number(**attributes: Any) -> forms.NumberInput:
    return forms.NumberInput(attrs={"step": "any", **attributes})


class EndpointForm(forms.Form):
    """A model server. The key is never shown: an empty field keeps the one that is there."""

    name = forms.CharField(label=_("Name"), max_length=60, widget=forms.TextInput(attrs=PLAIN))
    url = forms.CharField(
        label=_("Address"),
        max_length=300,
        help_text=_("OpenAI-compatible; it ends in /v1."),
        widget=forms.URLInput(attrs={**PLAIN, "placeholder": "http://127.0.0.1:8000/v1"}),
    )
    backend = forms.ChoiceField(
        label=_("Kind of server"),
        choices=ModelEndpoint.Backend.choices,
        help_text=_("How an answer is held to its form; anything else is OpenAI."),
    )
    api_key = forms.CharField(
        label=_("API key"),
        required=False,
        strip=True,
        help_text=_("It is stored encrypted and never shown again; empty keeps what is there."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    forget_key = forms.BooleanField(label=_("Forget the key that is there"), required=False)
    max_in_flight = forms.IntegerField(
        label=_("Requests at once"),
        min_value=1,
        max_value=10_000,
        initial=64,
        help_text=_("Over all workers together."),
    )
    timeout_seconds = forms.IntegerField(
        label=_("Timeout in seconds"), min_value=1, max_value=3600, initial=120
    )
    sorts_by_priority = forms.BooleanField(
        label=_("It was started with --scheduling-policy priority (vLLM)"), required=False
    )
    prompt = forms.FloatField(
        label=_("Price of a million prompt tokens"),
        required=False,
        min_value=0,
        widget=_number(),
        help_text=_("Without both prices the cost is not told."),
    )
    completion = forms.FloatField(
        label=_("Price of a million completion tokens"),
        required=False,
        min_value=0,
        widget=_number(),
    )
    currency = forms.CharField(
        label=_("Currency"), required=False, max_length=10, widget=forms.TextInput(attrs=PLAIN)
    )

    def __init__(self, *args: Any, endpoint: ModelEndpoint | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if endpoint is None or not endpoint.api_key_encrypted:
            del self.fields["forget_key"]
        if endpoint is not None and endpoint.origin == Origin.ENVIRONMENT:
            for name in (*SEEDED, "api_key", "forget_key"):
                self.fields.pop(name, None)

    @staticmethod
    def initial_of(endpoint: ModelEndpoint) -> dict[str, Any]:
        names = ("name", *SEEDED, "max_in_flight", "timeout_seconds")
        fields = {name: getattr(endpoint, name) for name in names}
        return {**fields, **endpoint.prices}

    def values(self) -> dict[str, Any]:
        """The fields as the services take them."""
        said = {
            name: value
            for name, value in self.cleaned_data.items()
            if name not in ("api_key", "forget_key", "currency", *PRICES)
        }
        given = {name: self.cleaned_data[name] for name in (*PRICES, "currency")}
        said["prices"] = {name: one for name, one in given.items() if one not in (None, "")}
        return said

    def key(self) -> str | None:
        """The new key; an empty one forgets it, None keeps it."""
        if self.cleaned_data.get("forget_key"):
            return ""
        return self.cleaned_data.get("api_key") or None


class RoleForm(forms.Form):
    """Which model plays a role, and how it is asked; what is left empty the server decides."""

    endpoint = forms.ModelChoiceField(
        label=_("Endpoint"), queryset=ModelEndpoint.objects.none(), empty_label=None
    )
    model = forms.CharField(
        label=_("Model"),
        max_length=200,
        help_text=_("The name by which the server knows it."),
        widget=forms.TextInput(attrs={**PLAIN, "list": "models"}),
    )
    weights_revision = forms.CharField(
        label=_("Revision of the weights"),
        required=False,
        max_length=100,
        help_text=_("Part of a judge's identity where the name alone does not tell."),
        widget=forms.TextInput(attrs=PLAIN),
    )
    temperature = forms.FloatField(
        label=_("Temperature"), required=False, min_value=0, widget=_number()
    )
    top_p = forms.FloatField(label="top_p", required=False, widget=_number())
    top_k = forms.IntegerField(label="top_k", required=False, min_value=1)
    presence_penalty = forms.FloatField(label="presence_penalty", required=False, widget=_number())
    seed = forms.IntegerField(label=_("Seed"), required=False)
    max_tokens = forms.IntegerField(
        label=_("Tokens of an answer"),
        min_value=1,
        help_text=_("Room for the answer alone; thinking gets room of its own."),
    )
    thinking = forms.ChoiceField(
        label=_("Thinking"),
        choices=[
            (Thinking.NEVER.value, _("never")),
            (Thinking.ALWAYS.value, _("always")),
            (Thinking.BY_WEIGHT.value, _("where a criterion weighs 3 or more")),
            (Thinking.UNSAID.value, _("as the model does by itself")),
        ],
    )
    thinking_tokens = forms.IntegerField(label=_("Tokens of thinking"), min_value=0)
    output_mode = forms.ChoiceField(
        label=_("Form of the answer"),
        choices=[
            (OutputMode.EXPLAINED.value, _("evidence, then verdict")),
            (OutputMode.LABEL.value, _("label only")),
        ],
    )
    most_criteria = forms.IntegerField(
        label=_("Criteria of a rubric at most"), min_value=1, required=False
    )

    MODEL_FIELDS = ("endpoint", "model", "weights_revision")

    def __init__(self, *args: Any, endpoints: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen = self.fields["endpoint"]
        assert isinstance(chosen, forms.ModelChoiceField)  # noqa: S101 - for the type checker
        chosen.queryset = endpoints

    def sampling(self, before: dict[str, Any]) -> dict[str, Any]:
        """What is stored: the fields, and what has none stays as it was."""
        said = {
            name: value
            for name, value in self.cleaned_data.items()
            if name not in self.MODEL_FIELDS
        }
        if said["most_criteria"] is None:
            del said["most_criteria"]
        return {**before, **said}
