"""The living page of components: each in each of its states, with texts that try it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from apps.accounts import access
from apps.studio.matrix.sample import sample_matrix

LONG = "An answer that goes on and on. " * 400
HEBREW = "שלום עולם: **המשקל** של הקריטריון הוא 3.\n\n- אחת\n- English inside\n"
CHINESE = "光合作用把光能變成化學能。「葉綠素」吸收紅光和藍光。\n\n1. 水\n2. 二氧化碳"
EMOJI = "It works 👩‍🚀🎉 – even 🏳️‍🌈 and é."
UNBROKEN = "pneumonoultramicroscopicsilicovolcanoconiosis" * 6
MARKDOWN = """# Vitamin K and warfarin

Keep your intake **steady**, *not zero*. See [the leaflet](https://example.org/leaflet).

| food | vitamin K |
|:--|--:|
| kale | 390 µg |
| spinach | 483 µg |

> Ask your pharmacist before you change anything.

```python
dose = "unchanged"
```

<script>alert("text, not code")</script> ![a chart](https://example.org/chart.png)
"""
BEFORE = "Uses plain words a reader knows, defines each medical term, and keeps sentences short."
AFTER = "Uses plain words a reader of seventy knows, and explains each medical term once."
CUT = 600


class SampleForm(forms.Form):
    """A field with a hint, and one whose error is shown."""

    name = forms.CharField(label="Name", help_text="Small letters, digits and hyphens.")
    weight = forms.FloatField(
        label="Weight", min_value=0, help_text="Above 0; its share is what counts."
    )
    note = forms.CharField(label="Note", widget=forms.Textarea(attrs={"rows": 2}), required=False)


@access.signed_in
@require_safe
@vary_on_headers("HX-Request")
def components(request: HttpRequest) -> HttpResponse:
    """Every component, in each of its states; htmx gets the one that stands in the drawer."""
    if "HX-Request" in request.headers:
        return render(request, "studio/_components_drawer.html")
    return render(request, "studio/components.html", samples())


def samples() -> dict[str, Any]:
    """What the page shows; nothing in it is from a project."""
    return {
        "cells": _cells(),
        "matrix": sample_matrix(),
        "pills": ["draft", "in_review", "candidate", "frozen", "retracted", "paused", "failed"],
        "criteria": _criteria(),
        "texts": _texts(),
        "before": BEFORE,
        "after": AFTER,
        "chinese_before": "春天來了,花開了。",
        "chinese_after": "夏天來了,花都開了。",
        "cut": CUT,
        "runs": _runs(),
        "figure": _figure(),
        "table": {"head": ["Reward", "Rollouts"], "rows": [["0.0–0.5", 3], ["0.5–1.0", 9]]},
        "form": SampleForm({"name": "tides", "weight": "-1"}),
        "provenance": _provenance(),
        "conflict": {
            "sentence": "Reviewer-7 saved version 7 while you were writing. Nothing is lost.",
            "fields": [{"label": "Text", "choice": "text", "mine": AFTER, "theirs": BEFORE}],
        },
        "counts": [("Prompts", "1,248"), ("Verdicts", "24,960")],
        "rows": [("prompt-1", LONG[:120]), ("prompt-2", HEBREW[:60]), ("prompt-3", UNBROKEN)],
        "here": reverse("studio:components"),
    }


def _cells() -> list[SimpleNamespace]:
    rows = [
        ("Prompts", "ready", "ready", "1,248", "in 2 files", 1.0, "Nothing blocks", False),
        ("Specs", "underway", "under way", "1,094", "approved of 1,211", 0.9, "86 drafts", False),
        (
            "Runs",
            "waits",
            "waits for you",
            "64.3 %",
            "of 24,960 cells",
            0.643,
            "Run 88: no quota",
            True,
        ),
        ("Bundles", "none", "not started", "0", "frozen", 0.0, "Waits for run 88", False),
    ]
    names = ("label", "state", "state_label", "figure", "unit", "share", "why", "blocks")
    return [SimpleNamespace(href="#strip", **dict(zip(names, row, strict=True))) for row in rows]


def _criteria() -> list[dict[str, Any]]:
    marks = [
        {"state": "good", "label": "alive"},
        {"state": "watch", "label": "splits few groups"},
        {"state": "bad", "label": "judge and people differ"},
        {"state": "unknown", "label": "never judged"},
    ]
    rows = [
        ("C1", "Names the Moon as the cause.", 3, "accuracy", ""),
        ("C2", HEBREW.splitlines()[0], 2, "safety", ""),
        ("C3", LONG[:180], 1, "composition", "Three requirements in one"),
        ("C4", UNBROKEN[:90], 0.5, "general", ""),
    ]
    return [
        {
            "criterion": {"key": key, "text": text, "weight": weight, "bucket": bucket},
            "share": weight / 3,
            "lint": lint,
            "health": marks[at:] + marks[:at],
        }
        for at, (key, text, weight, bucket, lint) in enumerate(rows)
    ]


def _texts() -> list[dict[str, str]]:
    titles = ("Markdown", "Long", "Hebrew", "Chinese", "Emoji", "One long word")
    texts = (MARKDOWN, LONG, HEBREW, CHINESE, EMOJI, UNBROKEN)
    return [{"title": title, "text": text} for title, text in zip(titles, texts, strict=True)]


def _runs() -> list[SimpleNamespace]:
    names = ("expected", "scored", "unscored", "failed", "running", "queued")
    rows = [
        (24960, 15842, 214, 31, 12, 8861),
        (100000, 99997, 1, 1, 1, 0),
        (10, 0, 0, 10, 0, 0),
        (0, 0, 0, 0, 0, 0),
    ]
    return [SimpleNamespace(**dict(zip(names, row, strict=True))) for row in rows]


def _figure() -> dict[str, Any]:
    bars = {"type": "bar", "x": ["0.0–0.5", "0.5–1.0"], "y": [3, 9]}
    return {"data": [{**bars, "marker": {"color": ["--part-code", "--accent"]}}]}


def _provenance() -> list[dict[str, str]]:
    steps = ("bundle 14", "spec 412 v6", "C4", "verdict 118204", "call 5531907")
    last = len(steps) - 1
    return [
        {"label": label, "href": "" if at == last else "#provenance"}
        for at, label in enumerate(steps)
    ]
