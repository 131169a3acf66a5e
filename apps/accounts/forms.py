"""What people type in on the pages before they are signed in."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class RegistrationForm(forms.Form):
    """A new person names themselves; the rules are the service's own."""

    username = forms.CharField(
        label=_("User name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
