"""Ranges as RFC 9110 has them."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.bundles.api.ranges import ByteRange, Unsatisfiable, parse_range

RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
DATA = bytes(range(100))


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("bytes=0-9", ByteRange(0, 9)),
        ("bytes=90-", ByteRange(90, 99)),
        ("bytes=-10", ByteRange(90, 99)),
        ("bytes=-1000", ByteRange(0, 99)),
        ("bytes=95-1000", ByteRange(95, 99)),
        ("BYTES = 0 - 0", ByteRange(0, 0)),
    ],
)
def test_one_range_is_found(header, found):
    assert parse_range(header, 100) == found


@pytest.mark.parametrize(
    "header",
    [
        "",
        "bytes=",
        "bytes=-",
        "bytes=5-4",
        "bytes=0-1,5-6",
        "lines=0-9",
        "bytes=a-b",
        "bytes=1-2-3",
    ],
)
def test_what_is_no_single_range_is_ignored(header):
    assert parse_range(header, 100) is None


@pytest.mark.parametrize(
    ("header", "size"), [("bytes=100-", 100), ("bytes=-0", 100), ("bytes=0-", 0)]
)
def test_a_range_behind_the_end_is_refused(header, size):
    with pytest.raises(Unsatisfiable, match=f"has {size} bytes"):
        parse_range(header, size)


@RELAXED
@given(first=st.integers(0, 99), last=st.integers(0, 200))
def test_a_range_is_the_slice_that_it_names(first, last):
    found = parse_range(f"bytes={first}-{last}", len(DATA))

    if last < first:
        assert found is None
    else:
        assert found is not None
        assert DATA[found.first : found.last + 1] == DATA[first : last + 1]
        assert found.length == len(DATA[first : last + 1])
