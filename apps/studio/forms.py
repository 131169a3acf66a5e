"""What people type on the pages of the installation."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

LONGEST_SLUG = 60


class NamesForm(forms.Form):
    """What a new project is called; a short name is made from the name where there is none."""

    name = forms.CharField(
        label=_("Name"), max_length=150, widget=forms.TextInput(attrs={"dir": "auto"})
    )
    slug = forms.CharField(
        label=_("Short name"),
        max_length=LONGEST_SLUG,
        required=False,
        help_text=_("For addresses and commands: small letters, digits and hyphens."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not cleaned.get("slug"):
            cleaned["slug"] = slugify(cleaned.get("name", ""))[:LONGEST_SLUG].strip("-")
        if cleaned.get("name") and not cleaned["slug"]:
            self.add_error("slug", _("Give it a short name: this name has no Latin letters."))
        return cleaned


class ProjectForm(NamesForm):
    """A new project."""

    description = forms.CharField(
        label=_("What it is for"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )
