"""Who may use which address: every route, every verb, as everybody."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.contrib.messages import get_messages
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from apps.accounts import access, middleware
from apps.accounts.access import Kind, Policy
from apps.accounts.models import Project, Role, Scope
from apps.accounts.services import create_invitation
from apps.activity.services import create_job, record
from tests.apps.accounts.routes import VERBS, Route, all_routes
from tests.factories import (
    make_bundle,
    make_call,
    make_endpoint,
    make_group,
    make_member,
    make_project,
    make_prompt,
    make_reward_run,
    make_rollout,
    make_run,
    make_spec,
    make_token,
    make_upload,
    make_user,
    make_verdict,
)

pytestmark = pytest.mark.django_db
ROUTES = all_routes()
ADMITTED = 299
SIGN_IN = 302


@pytest.fixture
def project() -> Project:
    return make_project("tides")


@pytest.fixture
def gate_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever the gate admits gets ADMITTED; no view runs, so nothing is changed or missing."""
    enforce = middleware.AccessPolicyMiddleware.process_view

    def stop_behind_the_gate(self, request, view, arguments, keywords):
        refusal = enforce(self, request, view, arguments, keywords)
        return refusal or HttpResponse(status=ADMITTED)

    monkeypatch.setattr(middleware.AccessPolicyMiddleware, "process_view", stop_behind_the_gate)


def values_for(project: Project) -> dict[str, object]:
    """Any value that the address takes does where only the gate is asked."""
    names = {name for route in ROUTES for name in route.parameters}
    return {**dict.fromkeys(names, 1), "slug": project.slug, "upload": UUID(int=1)}


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def with_token(plaintext: str) -> Client:
    return Client(headers={"authorization": f"Bearer {plaintext}"})


def verdicts(client: Client, project: Project) -> dict[tuple[str, str], int]:
    """What the gate says to this client, by verb and path."""
    values = values_for(project)
    return {
        (verb, route.path): client.generic(verb, route.address(values)).status_code
        for route in ROUTES
        for verb in VERBS
    }


def expected(decide) -> dict[tuple[str, str], int]:
    return {
        (verb, route.path): decide(access.policy_of(route.view, verb))
        for route in ROUTES
        for verb in VERBS
    }


def differences(found, wanted) -> dict[tuple[str, str], tuple[int, int]]:
    return {key: (found[key], wanted[key]) for key in wanted if found[key] != wanted[key]}


def test_every_route_and_verb_declares_a_policy():
    missing = [
        f"{verb} /{route.path}"
        for route in ROUTES
        for verb in access.operation_policies(route.view) or VERBS
        if access.policy_of(route.view, verb) is None
    ]

    assert missing == [], "decorate these with one of apps.accounts.access"


def test_the_walk_sees_pages_and_operations():
    paths = {route.path for route in ROUTES}

    assert {"", "healthz", "sign-in/", "api/v1/projects/<slug>"} <= paths


@pytest.mark.usefixtures("gate_only")
def test_nobody_gets_to_public_pages_only(project):
    def decide(policy: Policy) -> int:
        answers = {Kind.PUBLIC: ADMITTED, Kind.API: 401, Kind.TOKEN: 401}
        return answers.get(policy.kind, SIGN_IN)

    assert differences(verdicts(Client(), project), expected(decide)) == {}


@pytest.mark.usefixtures("gate_only")
def test_an_outsider_gets_404_for_whatever_is_in_a_project(project):
    def decide(policy: Policy) -> int:
        hidden = {Kind.PROJECT: 404, Kind.API: 404, Kind.TOKEN: 401, Kind.SITE_ADMIN: 403}
        return hidden.get(policy.kind, ADMITTED)

    assert differences(verdicts(signed_in(make_user()), project), expected(decide)) == {}


@pytest.mark.usefixtures("gate_only")
def test_a_project_that_does_not_exist_looks_like_one_that_cannot_be_seen(project):
    outsider = signed_in(make_user())

    hidden = verdicts(outsider, project)
    absent = verdicts(outsider, Project(slug="absent"))

    assert hidden == absent


@pytest.mark.usefixtures("gate_only")
@pytest.mark.parametrize("role", list(Role))
def test_a_member_gets_where_their_role_is_named(project, role):
    def decide(policy: Policy) -> int:
        if policy.kind in (Kind.PROJECT, Kind.API):
            return ADMITTED if role in policy.roles else 403
        return {Kind.SITE_ADMIN: 403, Kind.TOKEN: 401}.get(policy.kind, ADMITTED)

    client = signed_in(make_member(project, role))
    assert differences(verdicts(client, project), expected(decide)) == {}


@pytest.mark.usefixtures("gate_only")
def test_who_administers_the_site_administers_every_project(project):
    def decide(policy: Policy) -> int:
        if policy.kind in (Kind.PROJECT, Kind.API):
            return ADMITTED if Role.ADMIN in policy.roles else 403
        return 401 if policy.kind is Kind.TOKEN else ADMITTED

    client = signed_in(make_user(is_superuser=True))
    assert differences(verdicts(client, project), expected(decide)) == {}


@pytest.mark.usefixtures("gate_only")
@pytest.mark.parametrize("scope", list(Scope))
def test_a_token_gets_where_its_scope_is_named_and_to_no_page(project, scope):
    def decide(policy: Policy) -> int:
        if policy.kind in (Kind.API, Kind.TOKEN):
            return ADMITTED if policy.scope in (None, scope) else 403
        return ADMITTED if policy.kind is Kind.PUBLIC else SIGN_IN

    client = with_token(make_token(project, scope).plaintext)
    assert differences(verdicts(client, project), expected(decide)) == {}


@pytest.mark.usefixtures("gate_only")
def test_a_token_of_another_project_is_an_outsider_and_acts_in_its_own(project):
    def decide(policy: Policy) -> int:
        answers = {Kind.PUBLIC: ADMITTED, Kind.API: 404, Kind.TOKEN: ADMITTED}
        return answers.get(policy.kind, SIGN_IN)

    client = with_token(make_token(make_project()).plaintext)
    assert differences(verdicts(client, project), expected(decide)) == {}


@pytest.mark.parametrize(
    "ended",
    [
        {"expires_at": timezone.now() - timedelta(seconds=1)},
        {"revoked_at": timezone.now()},
        {"token_sha256": "0" * 64},
    ],
)
def test_an_expired_revoked_or_unknown_token_is_nobody(project, ended):
    created = make_token(project)
    type(created.token).objects.filter(pk=created.token.pk).update(**ended)

    response = with_token(created.plaintext).get("/api/v1/projects/tides")

    assert response.status_code == 401
    assert response.json()["error"]


def test_a_token_shows_its_project(project):
    response = with_token(make_token(project).plaintext).get("/api/v1/projects/tides")

    assert response.json()["slug"] == "tides"


def test_a_wrong_token_does_not_fall_back_on_the_session(project):
    client = signed_in(make_member(project, Role.ADMIN))

    response = client.get("/api/v1/projects/tides", headers={"authorization": "Bearer wrong"})

    assert response.status_code == 401


def test_a_form_that_was_open_too_long_leads_back_to_its_page_and_says_so(client):
    address = "/p/tides/settings/general/"  # takes forms, and is no page

    for _time in range(2):
        answer = client.post(address, HTTP_REFERER="http://testserver/p/tides/settings/?tab=1")

    assert answer["Location"] == "/sign-in/?next=/p/tides/settings/%3Ftab%3D1"
    (told,) = get_messages(answer.wsgi_request)
    assert "nothing was done" in str(told)


@pytest.mark.parametrize("before", ["", "http://elsewhere.example/p/tides/", "http://[bad"])
def test_a_form_from_elsewhere_leads_to_the_first_page(client, before):
    answer = client.post("/p/tides/settings/general/", HTTP_REFERER=before)

    assert answer["Location"] == "/sign-in/?next=/"


def test_a_part_of_a_page_makes_way_for_the_page_for_signing_in(client):
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/p/tides/runs/?state=done"}

    answer = client.get("/p/tides/runs/", headers=headers)

    assert answer["HX-Redirect"] == "/sign-in/?next=/p/tides/runs/%3Fstate%3Ddone"


def test_nobody_is_sent_to_sign_in_and_comes_back():
    response = Client().get("/jobs/?after=3")

    assert response["location"] == "/sign-in/?next=/jobs/%3Fafter%3D3"


def undeclared(request: HttpRequest) -> HttpResponse:
    return HttpResponse("open")


@csrf_exempt  # as every operation of ninja's is
@access.api(scope=Scope.RUNS_WRITE, roles=access.AUTHORS)
def written(request: HttpRequest, slug: str) -> HttpResponse:
    return HttpResponse(request.project.slug)  # type: ignore[attr-defined]


urlpatterns = [
    path("undeclared/", undeclared),
    path("written/<slug>/", written),
    path("written/", written),
]


@pytest.mark.urls(__name__)
def test_a_view_without_a_policy_answers_nobody_and_says_so():
    with pytest.raises(ImproperlyConfigured, match="/undeclared/ declares no access policy"):
        signed_in(make_user(is_superuser=True)).get("/undeclared/")


@pytest.mark.urls(__name__)
def test_a_session_cannot_write_through_the_api_without_its_csrf_token(project):
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_member(project, Role.AUTHOR))

    response = client.post("/written/tides/")

    assert response.status_code == 403


@pytest.mark.urls(__name__)
def test_a_token_writes_without_a_csrf_token(project):
    client = Client(
        enforce_csrf_checks=True,
        headers={"authorization": f"Bearer {make_token(project).plaintext}"},
    )

    assert client.post("/written/tides/").status_code == 200


@pytest.fixture
def foreign_things() -> dict[str, Any]:
    """Values for every route parameter, of things that are in somebody else's project.

    Whatever has a number has the number 1 there.
    """
    project = make_project("foreign")
    prompt = make_prompt(project)
    rollout = make_rollout(prompt, group=make_group(prompt))
    spec = make_spec(prompt)
    run = make_run(project)
    rewards = make_reward_run(run)
    bundle = make_bundle(project)
    return {
        "slug": project.slug,
        "number": run.number,
        "prompt": prompt.number,
        "pk": make_verdict(run, rollout, spec.criteria.get()).pk,
        "bundle_id": bundle.bundle_id,
        "config": rewards.config_id,
        "rollout": rollout.number,
        "upload": make_upload(project).key,
        "version": spec.version,
        "call": make_call(project).pk,
        "path": "README.md",
        "group": rollout.group_id,
        "cell": "1",
        "part": "new",
        "outcome": 1,
        "attempt": 1,
        "token": "unknown",
        "key": "somebody's-form",
        "person": make_member(project, Role.AUTHOR).pk,
        "job": create_job(kind="make_specs", task="x", arguments={}, project=project).pk,
        "event": record(verb="project.changed", target=project, project=project).pk,
        "removal": record(verb="member.removed", target=project, project=project).pk,
        "invitation": create_invitation(project=project, roles=[Role.AUTHOR]).invitation.pk,
        "api_token": make_token(project).token.pk,
        "endpoint": make_endpoint(project=project).pk,
        "role": "judge",
    }


def test_the_things_that_outsiders_look_for_are_there(foreign_things):
    """So that the next test fails when it should: a member of their project does reach them."""
    project = Project.objects.get(slug="foreign")
    client = signed_in(make_member(project, *Role))

    missing = {
        route.path: response.status_code
        for route in ROUTES
        if "slug" in route.parameters and "GET" in access.operation_policies(route.view)
        if (response := _call(client, "GET", route, foreign_things)).status_code >= 400
    }

    assert missing == {}


def test_nobody_reaches_into_another_project_through_their_own(project, foreign_things):
    """Not by the numbers and ids of things there, as a member or by a token, with any verb."""
    member = signed_in(make_member(project, *Role))
    token = with_token(make_token(project).plaintext)
    values = {**foreign_things, "slug": project.slug}

    reached = {
        (verb, route.path): response.status_code
        for route in ROUTES
        if set(route.parameters) - {"slug"}
        for client in (member, token)
        for verb in VERBS
        if _reaches(response := _call(client, verb, route, values))
    }

    assert reached == {}


def _reaches(response: Any) -> bool:
    """A page sends a token, which is nobody there, to sign in."""
    sent_away = response.status_code == SIGN_IN and response["location"].startswith("/sign-in/")
    return response.status_code < 400 and not sent_away


def _call(client: Client, verb: str, route: Route, values: dict[str, Any]) -> Any:
    address = route.address(values)
    return client.generic(verb, address, data="{}", content_type="application/json")


def test_a_nul_in_an_address_finds_nothing(project):
    client = with_token(make_token(project).plaintext)

    assert client.get("/api/v1/projects/ti%00des").status_code == 404


@pytest.mark.urls(__name__)
def test_an_operation_that_forgot_its_slug_admits_no_token(project):
    client = with_token(make_token(project).plaintext)

    with pytest.raises(KeyError):
        client.get("/written/")
