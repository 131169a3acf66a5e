"""Quantities as people read them."""

import pytest

from apps.studio.templatetags.units import (
    milliseconds,
    share_of,
    shortened,
    span_between,
    span_of,
)


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0"),
        (9999, "9,999"),
        (10_000, "10.0 k"),
        (123_456, "123 k"),
        (22_700_000, "22.7 M"),
        (1_550_000, "1.55 M"),
        (2_000_000_000, "2.00 G"),
    ],
)
def test_large_numbers_have_three_figures(number, shown):
    assert shortened(number).replace("\N{NARROW NO-BREAK SPACE}", " ") == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0 s"), (59.4, "59 s"), (1080, "18 min"), (3_700, "1 h 1 min"), (100_000, "1 d 3 h")],
)
def test_spans_have_two_units_at_most(seconds, shown):
    assert span_of(seconds) == shown


def test_a_range_that_reads_alike_is_one_span():
    assert span_between((1080, 1260)) == "18 min to 21 min"
    assert span_between((1080, 1085)) == "18 min"


def test_latencies_and_shares():
    assert [milliseconds(one) for one in (None, 407, 1912)] == ["–", "407 ms", "1.9 s"]
    assert (share_of(1, 4), share_of(1, 0)) == (0.25, 0.0)
