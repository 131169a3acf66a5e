"""What people type in on the pages of this app; the rules are the services' own."""

from __future__ import annotations

import contextlib
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from apps.accounts import services
from apps.accounts.addresses import address_of
from apps.accounts.models import Role, Scope
from apps.activity.errors import TooSoon

AUTO = {"dir": "auto"}
USERNAME = {"autocomplete": "username", "autocapitalize": "none"}


def with_unix_lines(text: str) -> str:
    """Browsers send \\r\\n; what we store and compare has \\n."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


class SignInForm(AuthenticationForm):
    """Name and password; `too_soon` is set when they were wrong too often to be looked at."""

    request: HttpRequest
    too_soon: TooSoon | None = None

    def clean(self) -> dict[str, Any]:
        name = self.cleaned_data.get("username")
        if not name or not self.cleaned_data.get("password"):
            return super().clean()
        try:
            with services.sign_in_attempt(name=name, address=address_of(self.request)):
                return super().clean()
        except TooSoon as error:
            self.too_soon = error
            raise forms.ValidationError(error.message, code="too_soon") from None


class RegistrationForm(forms.Form):
    """A new person names themselves."""

    username = forms.CharField(
        label=_("User name"), max_length=150, widget=forms.TextInput(attrs=USERNAME)
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


class ProjectForm(forms.Form):
    """The texts and settings of a project; every key of its settings has a field here."""

    seen = forms.CharField(widget=forms.HiddenInput, required=False)
    name = forms.CharField(label=_("Name"), max_length=150, widget=forms.TextInput(attrs=AUTO))
    description = forms.CharField(
        label=_("Description"),
        required=False,
        strip=False,
        help_text=_("What is trained here and for whom; shown on the overview."),
        widget=forms.Textarea(attrs={**AUTO, "rows": 4}),
    )
    guidelines = forms.CharField(
        label=_("Guidelines"),
        required=False,
        strip=False,
        help_text=_("What people who vote and judge by hand should know and agree on."),
        widget=forms.Textarea(attrs={**AUTO, "rows": 10}),
    )
    missing = forms.ChoiceField(
        label=_("When a verdict or checker gives nothing"),
        help_text=_(
            "The rollouts of a group are compared, so one rollout's missing verdict concerns all "
            "of them. A failure is never counted as a score."
        ),
        choices=[
            ("drop_item_for_group", _("Leave the criterion out for the whole group")),
            ("unscore_response", _("Give that rollout no reward")),
            ("fail", _("Count the criterion as not met")),
            ("reject", _("Give the group no reward below the coverage")),
        ],
    )
    min_coverage = forms.CharField(
        label=_("Least coverage"),
        help_text=_(
            "A share from 0 to 1: below this share of criteria and checkers a group has no reward, "
            "where the line above says so."
        ),
        widget=forms.NumberInput(attrs={"min": 0, "max": 1, "step": "any"}),
    )
    checker_error = forms.ChoiceField(
        label=_("When a checker breaks"),
        help_text=_("Either way the broken checks are counted apart."),
        choices=[
            ("unavailable", _("It gives no answer")),
            ("fail", _("It counts as failed, as in the paper")),
        ],
    )
    generated_checkers = forms.BooleanField(
        label=_("Requirements that no constraint type expresses become generated checkers"),
        help_text=_(
            "Code that the model in the role of checker writer makes. It runs in a jail and is "
            "validated before it counts; where this is off, it is unavailable."
        ),
        required=False,
    )
    approval_needs_second_person = forms.BooleanField(
        label=_("A spec is approved by somebody else than its author"), required=False
    )

    keep_call_texts_days = forms.CharField(
        label=_("Days to keep the texts of calls"),
        required=False,
        help_text=_(
            "What was sent to models and what they answered. Afterwards a verdict keeps its "
            "numbers and hashes, and its request can no longer be shown. Empty: for ever."
        ),
        widget=forms.NumberInput(attrs={"min": 1, "step": 1}),
    )

    def clean_min_coverage(self) -> str:
        """As a stored number reads, so that 0.80 is no change of 0.8."""
        text: str = self.cleaned_data["min_coverage"]
        with contextlib.suppress(ValueError):
            return str(float(text))
        return text

    def texts(self) -> dict[str, str]:
        """The fields as services.change_project takes them."""
        return {
            name: with_unix_lines(str(value))
            for name, value in self.cleaned_data.items()
            if name != "seen"
        }


def roles_field(**values: Any) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        label=_("Roles"), choices=Role.choices, widget=forms.CheckboxSelectMultiple, **values
    )


class MemberForm(forms.Form):
    """The roles that a member holds."""

    roles = roles_field()


class InvitationForm(forms.Form):
    """Whom a link lets in, as what, and for how long."""

    roles = roles_field()
    days = forms.TypedChoiceField(
        label=_("Valid for"),
        coerce=int,
        initial=7,
        choices=[(1, _("1 day")), (7, _("7 days")), (30, _("30 days"))],
    )
    note = forms.CharField(
        label=_("Note"),
        required=False,
        max_length=200,
        help_text=_("Who it is meant for; whoever opens the link reads it."),
        widget=forms.TextInput(attrs=AUTO),
    )


class TokenForm(forms.Form):
    """What a program may do in the project, and for how long."""

    name = forms.CharField(
        label=_("Name"),
        max_length=100,
        help_text=_("What it is for, such as the trainer that will use it."),
        widget=forms.TextInput(attrs=AUTO),
    )
    scopes = forms.MultipleChoiceField(
        label=_("It may"), choices=Scope.choices, widget=forms.CheckboxSelectMultiple
    )
    days = forms.TypedChoiceField(
        label=_("Expires"),
        coerce=int,
        empty_value=None,
        required=False,
        initial=90,
        choices=[
            (30, _("in 30 days")),
            (90, _("in 90 days")),
            (365, _("in a year")),
            ("", _("never")),
        ],
    )


class UserForm(forms.Form):
    """A person whom an administrator lets in; they set a password themselves."""

    username = forms.CharField(
        label=_("User name"), max_length=150, widget=forms.TextInput(attrs=USERNAME)
    )
    display_name = forms.CharField(
        label=_("Name"),
        required=False,
        max_length=150,
        help_text=_("How others read it; the user name when empty."),
        widget=forms.TextInput(attrs=AUTO),
    )


class ProfileForm(forms.Form):
    """How others read the person's name, and in which language they read us."""

    display_name = forms.CharField(
        label=_("Name"),
        required=False,
        max_length=150,
        help_text=_("How others read it; the user name when empty."),
        widget=forms.TextInput(attrs=AUTO),
    )
    language = forms.ChoiceField(
        label=_("Language"),
        required=False,
        choices=lambda: [("", _("as the browser asks")), *settings.LANGUAGES],
    )


class PasswordForm(forms.Form):
    """A new password; the current one only where there is one."""

    current = forms.CharField(
        label=_("Current password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    new = forms.CharField(
        label=_("New password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, *args: Any, has_one: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not has_one:
            del self.fields["current"]


class TypedForm(forms.Form):
    """A destructive act: the name has to be typed."""

    typed = forms.CharField()
