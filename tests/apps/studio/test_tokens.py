"""The colours of the interface can be read, in light and in dark."""

import re
from pathlib import Path

import pytest
from django.conf import settings

CSS = (Path(settings.BASE_DIR) / "static" / "css" / "tokens.css").read_text()
TOKEN = re.compile(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)")
TOKENS = {name: (light, dark) for name, light, dark in TOKEN.findall(CSS)}

READABLE = 4.5
VISIBLE = 3.0
TEXT = [
    *((name, "bg") for name in ("text", "text-2", "text-3", "accent", "yes", "part", "no", "un")),
    *((name, "bg-sub") for name in ("text", "text-2", "text-3")),
    *((name, "bg-hover") for name in ("text", "text-2", "text-3")),
    *((name, f"{name}-soft") for name in ("yes", "part", "no", "accent")),
    ("on-accent", "accent"),
    ("text-2", "no-soft"),
]
GRAPHICS = [
    *(
        (name, "bg")
        for name in TOKENS
        if name.startswith(("bucket-", "part-")) and "soft" not in name
    ),
    ("line-input", "bg"),
]


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def test_contrast_is_what_the_standard_says():
    # Black on white is 21 by definition; the grey #767676 is known to be 4.54 on white.
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("front", "back"), TEXT)
def test_text_can_be_read(front, back, scheme):
    assert contrast(TOKENS[front][scheme], TOKENS[back][scheme]) >= READABLE


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("front", "back"), GRAPHICS)
def test_shapes_and_the_borders_of_fields_can_be_seen(front, back, scheme):
    assert contrast(TOKENS[front][scheme], TOKENS[back][scheme]) >= VISIBLE


def test_components_name_no_colour_themselves():
    sheets = Path(settings.BASE_DIR, "static", "css").glob("*.css")
    others = [sheet for sheet in sheets if sheet.name != "tokens.css"]

    literal = {
        sheet.name: re.findall(r"#[0-9a-f]{3,8}\b|rgb\(", sheet.read_text()) for sheet in others
    }
    assert all(not found for found in literal.values()), literal
