"""Trying a spec's checkers on a response over HTTP, and the constraint types of a project."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import Project, Role, Scope
from apps.specs import services
from apps.specs.models import Constraint as Row
from rubricstudio.core.types import Constraint
from tests.factories import make_member, make_project, make_prompt, make_token, newest

pytestmark = pytest.mark.django_db
COUNT = Constraint("word_count", {"op": "le", "value": 3})
CONTAIN = Constraint("contain", {"phrases": ["sea"]})
POEM = Constraint("poem")


@pytest.fixture
def project() -> Project:
    project = make_project("tides")
    constraints = tuple(
        services.DraftConstraint.of(one, origin=Row.Origin.GIVEN) for one in (COUNT, CONTAIN, POEM)
    )
    draft = services.Draft(constraints=constraints, method="given")
    services.save_draft(newest(make_prompt(project)), draft=draft)
    return project


def post(project: Project, prompt: int = 1, **body: Any) -> Any:
    token = make_token(project, Scope.SPECS_READ)
    return Client().post(
        f"/api/v1/projects/tides/specs/{prompt}/try",
        body,
        content_type="application/json",
        headers={"authorization": f"Bearer {token.plaintext}"},
    )


def test_each_constraint_answers_with_reason_and_spans(project):
    reply = post(project, response="The sea rises twice a day.")

    assert reply.status_code == 200
    answer = reply.json()
    assert answer["version"] == 1
    words, contain, poem = answer["outcomes"]
    assert (words["number"], words["type"], words["result"]) == (1, "word_count", "failed")
    assert words["reason"] == "6 words, at most 3 asked"
    assert (contain["result"], contain["spans"]) == ("passed", [[4, 7]])
    assert (poem["result"], poem["cause"]) == ("unavailable", "refused")


def test_constraints_of_the_request_stand_in_for_those_of_the_spec(project):
    asked = [{"type": "line_count", "params": {"op": "eq", "value": 1}}]

    (outcome,) = post(project, response="One line.", constraints=asked).json()["outcomes"]

    assert (outcome["type"], outcome["result"]) == ("line_count", "passed")


def test_wrong_parameters_are_unavailable_with_the_reason(project):
    asked = [{"type": "line_count", "params": {"op": "eq", "value": "many"}}]

    (outcome,) = post(project, response="x", constraints=asked).json()["outcomes"]

    assert outcome["result"] == "unavailable"
    assert "a whole number" in outcome["reason"]


def test_a_response_that_was_cut_off_can_be_said_to_be(project):
    asked = [{"type": "end_with", "params": {"text": "x"}}]

    (outcome,) = post(project, response="x", truncated=True, constraints=asked).json()["outcomes"]

    assert "cut off" in outcome["reason"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"response": 5}, 422),
        ({"response": "x" * 2_000_001}, 422),
        ({"response": "x", "version": 9}, 404),
        ({"response": "x", "constraints": [{"type": ""}]}, 422),
        ({"response": "x", "constraints": [{"type": "contain", "dialect": "odd"}]}, 422),
        ({"response": "x", "constraints": [{"type": "contain"}] * 101}, 422),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_sentence(project, body, status):
    reply = post(project, **body)

    assert reply.status_code == status
    assert reply.json()["error"]


def test_a_prompt_without_a_spec_is_not_there(project):
    assert post(project, prompt=7, response="x").status_code == 404


def test_readers_may_and_annotators_may_not(project):
    for role, status in ((Role.REVIEWER, 200), (Role.ANNOTATOR, 403)):
        client = Client()
        client.force_login(make_member(project, role))
        reply = client.post(
            "/api/v1/projects/tides/specs/1/try",
            {"response": "x"},
            content_type="application/json",
        )
        assert reply.status_code == status


def test_the_operation_is_documented(client):
    paths = client.get("/api/v1/openapi.json").json()["paths"]

    operation = paths["/api/v1/projects/{slug}/specs/{prompt}/try"]["post"]
    assert operation["summary"] == "Try Response"
    assert "nothing is stored" in operation["description"]
    assert "/api/v1/projects/{slug}/constraint-types" in paths


def test_the_constraint_types_are_given_with_their_shares(project):
    token = make_token(project, Scope.SPECS_READ)
    answer = (
        Client()
        .get(
            "/api/v1/projects/tides/constraint-types",
            headers={"authorization": f"Bearer {token.plaintext}"},
        )
        .json()
    )

    assert (answer["total"], answer["specs"], answer["asking"]) == (3, 1, 1)
    assert answer["types"][0] == {
        "type": "contain",
        "native": 1,
        "generated": 0,
        "refused": 0,
        "total": 1,
        "share": pytest.approx(1 / 3),
        "specs": 1,
    }
