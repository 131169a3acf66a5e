"""Evidence in the least of HTML: marked text, where white space counts, and thousands of cells."""

from __future__ import annotations

from django import template
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from apps.studio.matrix.table import Cell, Row
from rubricstudio.core.quoting import Excerpt

register = template.Library()
BAR = 128
MORE = mark_safe('<span class="hint">…</span>')


@register.simple_tag
def excerpt(value: Excerpt, mark: str = "found") -> SafeString:
    """A part of a text with its evidence marked in the tint of a verdict."""
    pieces = format_html_join(
        "",
        "{}",
        (
            (format_html('<mark class="{}">{}</mark>', mark, piece.text),)
            if piece.marked
            else (piece.text,)
            for piece in value.pieces
        ),
    )
    return format_html(
        '<div class="excerpt-text prose" dir="auto">{}{}{}</div>',
        MORE if value.more_before else "",
        pieces,
        MORE if value.more_after else "",
    )


@register.simple_tag
def swatch(kind: str) -> SafeString:
    """A small square in the colour of a bucket or of a component of a reward."""
    square = '<svg class="swatch-8 {}" width="8" height="8" aria-hidden="true"><rect {}/></svg>'
    return format_html(square, kind, mark_safe('width="8" height="8" rx="1" '))


@register.simple_tag
def reward_bar(row: Row) -> SafeString:
    """A reward as a bar of what each component adds, on a track from 0 to 1."""
    bar = '<rect class="{}" x="{}" width="{}" height="12"/>'
    parts = format_html_join(
        "",
        bar,
        (
            (part.component.value, f"{BAR * part.begin:.1f}", f"{BAR * part.width:.1f}")
            for part in row.parts
        ),
    )
    return format_html(
        '<svg width="{}" height="12" aria-hidden="true"><rect class="track" width="{}" '
        'height="12"/>{}</svg>',
        BAR,
        BAR,
        parts,
    )


@register.simple_tag
def matrix_cells(row: Row, query: str = "") -> SafeString:
    """The cells of a row as links; without quotes and end tags a large matrix is a fifth less."""
    # Kinds and addresses are ours: letters, digits and hyphens.
    return mark_safe("".join(_cell(one, query) for one in row.cells))  # noqa: S308


def _cell(one: Cell, query: str) -> str:
    begin = "<td class=x>" if one.faded else "<td>"
    word = escape(one.word)
    if not one.address:
        return f"{begin}<i>{word}</i>"
    address = f'"{one.address}{escape(query)}"' if query else one.address
    return f"{begin}<a class={one.kind} href={address}>{word}</a>"
