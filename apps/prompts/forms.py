"""What a person says about a file before it is imported."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.prompts.models import Upload
from apps.prompts.reading import FileFormat
from apps.prompts.services import Importer, Preview

ENCODINGS = ("utf-8", "utf-16", "cp1252", "cp949", "cp932", "gb18030", "big5")
PART = "column_"


class UploadForm(forms.Form):
    """How the file is read, and where it comes from. A kind of import may ask for more."""

    format = forms.ChoiceField(label=gettext_lazy("Format"), required=False)
    encoding = forms.CharField(
        label=gettext_lazy("Encoding"),
        max_length=40,
        required=False,
        widget=forms.TextInput(attrs={"list": "encodings", "autocomplete": "off"}),
    )
    licence = forms.CharField(label=gettext_lazy("Licence"), max_length=100, required=False)
    url = forms.CharField(
        label=gettext_lazy("Address of the source"), max_length=500, required=False
    )
    allowed_use = forms.CharField(
        label=gettext_lazy("What it may be used for"), max_length=200, required=False
    )
    extra_fields: tuple[str, ...] = ()

    def __init__(
        self, upload: Upload, importer: Importer, look: Preview, data: Any | None = None
    ) -> None:
        said = upload.options
        mapped = {f"{PART}{part}": name for part, name in said["columns"].items()}
        super().__init__(data, initial={**said, **mapped, **upload.extra})
        self.importer = importer
        self._offer("format", ["auto", *FileFormat, *importer.shapes])
        for part in look.parts:
            self.fields[f"{PART}{part.name}"] = forms.ChoiceField(
                label=part.name.capitalize(), required=False, choices=_columns(look, part.name)
            )

    def _offer(self, name: str, choices: Iterable[str]) -> None:
        field = cast(forms.ChoiceField, self.fields[name])
        field.choices = [(str(one), str(one)) for one in choices]

    @property
    def part_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith(PART)]

    @property
    def reading_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("format", "encoding", *self.extra_fields)]

    @property
    def origin_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("licence", "url", "allowed_use")]

    def options(self) -> dict[str, Any]:
        """As `change_upload` takes them."""
        said = self.cleaned_data
        plain = {name: said[name] for name in ("encoding", "licence", "url", "allowed_use")}
        columns = {
            name.removeprefix(PART): column
            for name, column in said.items()
            if name.startswith(PART) and column
        }
        return {**plain, "format": said["format"] or "auto", "columns": columns}

    def extra(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in self.extra_fields}


def _columns(look: Preview, part: str) -> list[tuple[str, str]]:
    found = next(one for one in look.parts if one.name == part)
    guess = found.column if not found.said else ""
    by_itself = _("found: %(column)s") % {"column": guess} if guess else _("by its name")
    return [("", by_itself), *((name, name) for name in look.columns)]
