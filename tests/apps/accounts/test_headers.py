"""Nothing runs in a page that we did not ship: by header, and by what the pages hold."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from apps.accounts import access
from tests.apps.accounts.routes import all_routes
from tests.factories import make_user

TEMPLATES = sorted((Path(settings.BASE_DIR) / "templates").rglob("*.html"))
PAGES = [
    f"/{route.path}"
    for route in all_routes()
    if not route.parameters and not access.operation_policies(route.view)
]
INLINE = re.compile(
    r"<style|\sstyle\s*=|\son[a-z]+\s*=|\shx-on|javascript:|\bjs:|<script(?![^>]*\ssrc=)",
    re.IGNORECASE,
)


class InlineParts(HTMLParser):
    """Collects what a strict policy would not run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        is_data = names.get("type") == "application/json"
        if tag == "style" or (tag == "script" and "src" not in names and not is_data):
            self.found.append(f"<{tag}>")
        self.found += [name for name in names if name == "style" or name.startswith("on")]
        # A link in a text that somebody wrote loads nothing, and says nothing when it is followed.
        if tag == "a" and names.get("rel") == "nofollow noopener noreferrer":
            return
        self.found += [
            f"{name}={value}"
            for name, value in attrs
            if name in ("src", "href") and (value or "").startswith(("http:", "https:", "//"))
        ]


@pytest.fixture
def admin() -> Client:
    client = Client()
    client.force_login(make_user(is_superuser=True))
    return client


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_a_template_holds_no_inline_script_or_style(template):
    assert INLINE.findall(template.read_text()) == []


def test_the_scan_would_see_inline_parts():
    planted = '<p style="x"><a onclick="x"><script>x</script><b hx-on:click="x"><style>'

    assert len(INLINE.findall(planted)) == 5


@pytest.mark.django_db
@pytest.mark.parametrize("address", PAGES)
def test_a_page_holds_nothing_inline_and_nothing_from_elsewhere(admin, address):
    response = admin.get(address, follow=True)

    parts = InlineParts()
    parts.feed(response.content.decode())
    assert parts.found == []


@pytest.mark.django_db
@pytest.mark.parametrize("address", [*PAGES, "/nothing/", "/api/v1/projects/none"])
def test_every_response_carries_the_policy(admin, address):
    headers = admin.get(address).headers

    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "style-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
