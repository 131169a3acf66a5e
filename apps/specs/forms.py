"""What a person says when specs are made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext_lazy as _

from apps.accounts.forms import AUTO, with_unix_lines
from apps.specs import services
from apps.specs.showing.parameters import CHOICES, choices_of, from_field, in_field, label_of
from apps.specs.showing.words import PUBLISHED
from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.doubts import doubts
from rubricstudio.core.checkers.params import Kind, Param
from rubricstudio.core.checkers.registry import TYPES, find_named, normalised
from rubricstudio.core.errors import ConstraintError, SpecError
from rubricstudio.core.quoting import find_quote
from rubricstudio.core.types import Constraint

METHODS = [
    (services.AUTO, _("What was published with a prompt, and the rest by the model")),
    (
        services.RULES,
        _("What was published with a prompt, and constraints that rules read in it: no model"),
    ),
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


PARAM, OPTION = "p-", "o-"
LONGEST_QUOTE = 2_000
LONGEST_REASON = 2_000
REFUSED = ""
"""The choice of a type that no checker answers."""


@dataclass(frozen=True)
class Editing:
    """What is edited: a constraint of a spec (None for a new one), and what its prompt says.

    `kind` is the type whose fields are shown, None where no checker answers it.
    """

    prompt: str
    constraint: Constraint | None = None
    kind: ConstraintType | None = None

    @property
    def quote(self) -> str:
        """The words that ask for it; what names a published constraint is no quote."""
        evidence = self.constraint.evidence if self.constraint else ""
        return "" if evidence.startswith(PUBLISHED) else evidence


class ConstraintForm(forms.Form):
    """A constraint as its type declares it; `value` is it as soon as it can be checked.

    A form may be invalid and have a value: where the prompt does not ask for it.
    """

    value: Constraint | None = None

    def __init__(self, data: Any = None, *, editing: Editing, **values: Any) -> None:
        super().__init__(data, **values)
        self.editing = editing
        self.fields["type"] = forms.ChoiceField(
            label=_("Type"), choices=type_choices(editing), required=False
        )
        self.initial["type"] = editing.kind.name if editing.kind else REFUSED
        kind, now = editing.kind, editing.constraint
        for prefix, declared, known in (
            (PARAM, kind.params if kind else {}, now.params if now else {}),
            (OPTION, kind.options if kind else {}, now.options if now else {}),
        ):
            for name, param in declared.items():
                self.fields[prefix + name] = _field(name, param)
                self.initial[prefix + name] = in_field(param, known.get(name))
        self.fields["evidence"] = forms.CharField(
            label=_("Words of the prompt that ask for it"),
            help_text=_("Quoted as they stand there; empty if it is asked for in no words."),
            widget=forms.Textarea(attrs={**AUTO, "rows": 2}),
            max_length=LONGEST_QUOTE,
            required=False,
        )
        self.initial["evidence"] = editing.quote
        self.fields["reason"] = forms.CharField(
            label=_("Why it is changed"),
            help_text=_("Stands beside the version; may stay empty."),
            widget=forms.TextInput(attrs=AUTO),
            max_length=LONGEST_REASON,
            required=False,
        )

    def keep(self, typed: Mapping[str, Any]) -> None:
        """Show what was typed into the fields of another type, as far as they are the same."""
        for name, text in typed.items():
            if name in self.fields and text:
                self.initial[name] = with_unix_lines(str(text))

    def params(self) -> Iterator[BoundField]:
        return (self[name] for name in self.fields if name.startswith(PARAM))

    def options(self) -> list[BoundField]:
        return [self[name] for name in self.fields if name.startswith(OPTION)]

    @property
    def option_errors(self) -> bool:
        return any(name.startswith(OPTION) for name in self.errors)

    def problem(self) -> str:
        """What is wrong with it, as sentences that name their fields."""
        return " ".join(
            f"{self.fields[name].label}: {sentence}" if name in self.fields else str(sentence)
            for name, sentences in self.errors.items()
            for sentence in sentences
        )

    def clean_type(self) -> str:
        name = str(self.cleaned_data["type"])
        if name == REFUSED:
            raise forms.ValidationError(_("No checker answers this type: choose another one."))
        return name

    def clean_evidence(self) -> str:
        quote = with_unix_lines(str(self.cleaned_data["evidence"])).strip()
        if quote and not find_quote(quote, self.editing.prompt):
            raise forms.ValidationError(
                _("These words are not in the prompt: quote it, or leave this empty.")
            )
        return quote

    def clean(self) -> dict[str, Any]:
        kind = self.editing.kind
        if kind is not None:
            params = self._read(PARAM, kind.params)
            options = self._read(OPTION, kind.options)
            if not set(self.errors) - {"evidence", "reason"}:
                self._settle(Constraint(kind.name, params, options, dialect=kind.dialect))
        return self.cleaned_data

    def _read(self, prefix: str, declared: Mapping[str, Param]) -> dict[str, Any]:
        """The values by name; a value that cannot be says why at its field."""
        values = {}
        for name, param in declared.items():
            if prefix + name in self.errors:
                continue
            said = self.cleaned_data[prefix + name]
            if isinstance(said, str):
                said = with_unix_lines(said)
            value = from_field(param.kind, said)
            try:
                if value is not None:
                    values[name] = param.read(value)
                elif param.required:
                    self.add_error(prefix + name, _("It is needed."))
            except ConstraintError as error:
                self.add_error(prefix + name, _sentence(error))
        return values

    def _settle(self, constraint: Constraint) -> None:
        """Parameters that do not go together, or not with the prompt, say so at one of them."""
        quote = self.cleaned_data.get("evidence", "")
        try:
            complete = normalised(constraint)
        except SpecError as error:
            given = [name for name in constraint.params if PARAM + name in self.fields]
            numbers = [one for one in given if type(constraint.params[one]) in (int, float)]
            place = [*given, *numbers][-1:]
            self.add_error(PARAM + place[0] if place else None, _sentence(error))
            return
        for doubt in doubts(complete, quote=quote):
            self.add_error(PARAM + doubt.param, doubt.sentence)
        self.value = replace(complete, evidence=quote or self._published())

    def _published(self) -> str:
        """What a published constraint is named, which stands where no quote is given."""
        now = self.editing.constraint
        return now.evidence if now and not self.editing.quote else ""


def type_choices(editing: Editing) -> list[tuple[str, str]]:
    """Every type of the studio with its meaning; first the present one, if it is another."""
    choices = [(one.name, f"{one.name.replace('_', ' ')}: {one.meaning}") for one in TYPES.values()]
    own = find_named(editing.constraint.type) if editing.constraint else None
    if own is not None and own.name not in TYPES:
        choices.insert(0, (own.name, f"{own.name}: {own.meaning}"))
    if editing.kind is not None:
        return choices
    now = editing.constraint
    first = str(_("%s (no checker answers it)") % now.type if now else _("Choose a type"))
    return [(REFUSED, first), *choices]


def _field(name: str, param: Param) -> forms.Field:
    label = {"label": label_of(name, param), "required": False}
    if param.kind is Kind.FLAG:
        return forms.BooleanField(help_text=f"{_first_up(param.meaning)}.", **label)
    if param.kind is Kind.CHOICE:
        help_text = "" if name in CHOICES else _first_up(param.meaning)
        return forms.ChoiceField(choices=choices_of(name, param), help_text=help_text, **label)
    if param.kind in (Kind.TEXT, Kind.TEXTS, Kind.PAIRS):
        rows = 2 if param.kind is Kind.TEXT else 4
        widget: forms.Widget = forms.Textarea(attrs={**AUTO, "rows": rows})
    elif param.kind is Kind.DIVIDER:
        widget = forms.TextInput(attrs=AUTO)
    else:
        widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
    how = {
        Kind.TEXTS: _("One on each line; ⏎ stands for a line break within one."),
        Kind.PAIRS: _("One pair on each line, with = between."),
        Kind.DIVIDER: _("⏎ stands for a line break."),
    }
    told = f"{_first_up(param.meaning)}. {how[param.kind]}" if param.kind in how else param.meaning
    return forms.CharField(strip=False, widget=widget, help_text=_first_up(told), **label)


def _first_up(words: str) -> str:
    return words[:1].upper() + words[1:]


def _sentence(error: Exception) -> str:
    return f"{_first_up(str(error))}."
