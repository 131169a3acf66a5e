"""A response as people read it: nothing in it runs, loads or tells where it was opened from."""

import time

import pytest

from apps.studio.markdown import render_markdown


def test_html_in_a_response_stays_text():
    assert "<script" not in render_markdown("<script>alert(1)</script>")
    assert "&lt;b onclick=x&gt;" in render_markdown("a <b onclick=x>b</b>")


@pytest.mark.parametrize(
    "target", ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "/p/tides/", "//host/"]
)
def test_a_link_that_is_no_address_of_the_web_stays_text(target):
    assert "<a" not in render_markdown(f"[x]({target})")


def test_a_link_tells_the_other_side_nothing():
    page = render_markdown("[x](https://example.org/)")

    assert 'href="https://example.org/" rel="nofollow noopener noreferrer"' in page


def test_an_image_is_named_and_never_loaded():
    page = render_markdown('![a "cat"](https://example.org/cat.png)')

    assert "<img" not in page
    assert "image: a &quot;cat&quot;</a>" in page


def test_a_quotation_mark_cannot_leave_its_attribute():
    assert 'onmouseover="' not in render_markdown('[x](https://example.org/"onmouseover="x)')


def test_the_headings_of_a_response_are_none_of_the_page():
    assert render_markdown("# Title") == '<p class="heading h1">Title</p>\n'


def test_no_style_attribute_breaks_the_security_policy():
    page = render_markdown("|a|b|\n|:-|-:|\n|1|2|")

    assert "style=" not in page
    assert '<td class="number">2</td>' in page


def test_a_single_line_break_is_kept():
    assert "<br" in render_markdown("roses\nviolets")


@pytest.mark.parametrize("unit", ["[", "![", "*a **b ", "> ", "- ", "`a", "a_b_", "<a "])
def test_a_response_that_is_made_to_be_slow_is_not(unit):
    started = time.monotonic()
    render_markdown(unit * (20_000 // len(unit)))

    assert time.monotonic() - started < 5
