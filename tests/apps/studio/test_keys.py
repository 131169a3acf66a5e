"""No two actions of one scope share a key, on any page: the page, its drawer, each dialog."""

from __future__ import annotations

from collections import defaultdict
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client

from apps.accounts import access
from apps.activity.models import AuditEvent
from apps.judging.models import CheckOutcome, Verdict
from apps.rollouts.models import RolloutGroup
from apps.studio.demo import restore_demo
from tests.apps.accounts.routes import Route, all_routes
from tests.factories import make_user

pytestmark = pytest.mark.django_db
Kind = access.Kind
PAGE_KINDS = (Kind.PUBLIC, Kind.SIGNED_IN, Kind.SITE_ADMIN, Kind.PROJECT)
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}


class Keys(HTMLParser):
    """The keys of a page by scope, as static/js/keys.js sees them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: dict[str, list[str]] = defaultdict(list)
        self._open: list[tuple[str, str]] = [("", "page")]
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        scope = self._open[-1][1]
        if tag == "dialog":
            scope = f"dialog {names.get('id')}"
        elif names.get("id") == "drawer":
            scope = "drawer"
        elif "hidden" in names or tag in ("template", "noscript"):
            scope = "hidden"
        key = names.get("data-key")
        if key and scope != "hidden":
            self.found[scope].append(key)
        if tag not in VOID:
            self._open.append((tag, scope))

    def handle_endtag(self, tag: str) -> None:
        while len(self._open) > 1:
            closed, _scope = self._open.pop()
            if closed == tag:
                return


def collisions(page: str) -> list[str]:
    """Keys that work two things, and keys that hide a chord which begins with them."""
    problems = []
    for scope, keys in Keys(page).found.items():
        problems += [f"{scope}: {key} twice" for key in set(keys) if keys.count(key) > 1]
        problems += [
            f"{scope}: {key} hides {chord}"
            for key in set(keys)
            for chord in set(keys)
            if chord.startswith(f"{key} ")
        ]
    return problems


def pages() -> list[Route]:
    policies = ((route, access.policy_of(route.view, "GET")) for route in all_routes())
    return [
        route
        for route, policy in policies
        if policy is not None
        and policy.kind in PAGE_KINDS
        and not access.operation_policies(route.view)
    ]


def things_of_the_demo() -> dict[str, Any]:
    """A value for every parameter: things of the demo project, and 1 for what it has none of."""
    demo = restore_demo()
    assert demo is not None
    of_project = {"rollout__project": demo.project}
    names = {name for route in pages() for name in route.parameters}
    return {
        **dict.fromkeys(names, 1),
        "slug": demo.project.slug,
        "pk": Verdict.objects.filter(**of_project).values_list("pk", flat=True)[0],
        "outcome": CheckOutcome.objects.filter(**of_project).values_list("pk", flat=True)[0],
        "group": RolloutGroup.objects.filter(batch__project=demo.project).values_list("pk")[0][0],
        "event": AuditEvent.objects.filter(project=demo.project).values_list("pk", flat=True)[0],
        "upload": "00000000-0000-0000-0000-000000000001",
    }


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["page", "part"])
def test_no_two_actions_of_a_page_share_a_key(headers):
    values = things_of_the_demo()
    client = Client(headers=headers)
    client.force_login(make_user(is_superuser=True))

    looked_at, found = 0, {}
    for route in pages():
        response = client.get(route.address(values))
        if response.status_code == 200 and "html" in response.headers["Content-Type"]:
            looked_at += 1
            if problems := collisions(response.content.decode()):
                found[route.path] = problems

    assert found == {}
    assert looked_at > 15


def test_the_look_would_see_a_collision():
    twice = '<a data-key="e">x</a><button data-key="e">y</button>'
    apart = '<a data-key="e">x</a><dialog id="d"><button data-key="e">y</button></dialog>'
    hides = '<a data-key="g">x</a><a data-key="g p">y</a>'

    assert collisions(twice) == ["page: e twice"]
    assert collisions(apart) == []
    assert collisions(hides) == ["page: g hides g p"]
    assert (
        collisions('<aside id="drawer"><br><a data-key="e">x</a></aside><a data-key="e">y</a>')
        == []
    )
