"""What a person says about a file of rollouts."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from apps.activity.errors import BadInput
from apps.prompts.forms import UploadForm
from apps.prompts.models import Upload
from apps.prompts.services import Importer, Preview
from apps.rollouts.services import checked_policy
from apps.rollouts.shapes.rollout import NAME_CHARACTERS


class RolloutUploadForm(UploadForm):
    """As for every file, and who answered; at first the file's own name is proposed."""

    policy = forms.CharField(
        label=gettext_lazy("Policy of all rows"),
        max_length=NAME_CHARACTERS,
        help_text=gettext_lazy("Who answered, where no column says so."),
    )
    extra_fields = ("policy",)

    def __init__(
        self, upload: Upload, importer: Importer, look: Preview, data: Any | None = None
    ) -> None:
        super().__init__(upload, importer, look, data)
        self.initial.setdefault("policy", PurePath(upload.filename).name.partition(".")[0])

    def clean_policy(self) -> str:
        try:
            return checked_policy(self.cleaned_data["policy"])
        except BadInput as error:
            raise forms.ValidationError(error.message) from None
