"""Which constraint types the specs of a project ask for."""

from __future__ import annotations

import csv
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import Project, Role
from apps.specs import selectors
from apps.specs.models import Checker, Spec
from tests.factories import make_constraint, make_member, make_project, make_prompt, make_spec

pytestmark = pytest.mark.django_db
PAGE = "/p/tides/specs/statistics/"


@pytest.fixture
def project() -> Project:
    return make_project("tides")


@pytest.fixture
def reader(client: Client, project: Project) -> Client:
    client.force_login(make_member(project, Role.AUDITOR))
    return client


def ask(spec: Spec, *kinds: str) -> None:
    """Constraints of these types: `contain` has a native checker, `=odd` none, `code` a model's."""
    for position, kind in enumerate(kinds):
        row = make_constraint(spec, type=kind, position=position)
        if kind == "code":
            Checker.objects.create(constraint=row, origin="generated", code="x", content_sha256="x")
        elif kind != "=odd":
            Checker.objects.create(constraint=row, content_sha256="x")


@pytest.fixture
def specs(project: Project) -> list[Spec]:
    """Three prompts; of the first, the older version asks for something else."""
    prompts = [make_prompt(project, text) for text in ("One", "Two", "Three")]
    ask(make_spec(prompts[0]), "line_count", "line_count")
    found = [make_spec(prompt) for prompt in prompts]
    ask(found[0], "contain", "contain", "word_count")
    ask(found[1], "contain", "=odd", "code")
    Spec.objects.filter(pk=found[1].pk).update(state="in_review")
    return found


def test_constraints_of_the_newest_versions_are_counted_by_type_and_answer(project, specs):
    found = selectors.constraint_types(project)

    counts = [(one.type, one.native, one.generated, one.refused, one.specs) for one in found.types]
    assert counts == [
        ("contain", 3, 0, 0, 2),
        ("=odd", 0, 0, 1, 1),
        ("code", 0, 1, 0, 1),
        ("word_count", 1, 0, 0, 1),
    ]
    assert (found.total, found.native, found.generated, found.refused) == (6, 4, 1, 1)
    assert (found.specs, found.asking, found.per_spec) == (3, 2, 2.0)
    assert [share for _one, share in found.shared] == pytest.approx([3 / 6, 1 / 6, 1 / 6, 1 / 6])


def test_one_state_can_be_looked_at_alone(project, specs):
    found = selectors.constraint_types(project, state="in_review")

    assert (found.specs, found.total, found.per_spec) == (1, 3, 3.0)


def test_a_project_without_specs_has_no_mean(project):
    found = selectors.constraint_types(project)

    assert (found.types, found.total, found.per_spec) == ([], 0, None)


def test_each_number_leads_to_the_specs_that_it_counts(reader, specs):
    page = reader.get(PAGE).content.decode()
    links = dict(re.findall(r'href="(/p/tides/specs/\?constraint=[^"]+)">(?:<bdi>)?([^<]+)', page))

    for address, numbers in (
        ("/p/tides/specs/?constraint=contain+native", {1, 2}),
        ("/p/tides/specs/?constraint=%3Dodd+refused", {2}),
        ("/p/tides/specs/?constraint=code+generated", {2}),
        ("/p/tides/specs/?constraint=word_count", {1}),
    ):
        assert address in links
        listed = reader.get(address).content.decode()
        assert {n for n in range(1, 4) if f'href="{n}/"' in listed} == numbers, address


def test_the_page_says_its_rule_and_its_totals(reader, specs):
    page = " ".join(re.sub(r"<[^>]+>", " ", reader.get(PAGE).content.decode()).split())

    assert "6 constraints of 3 specs, 2.00 a spec" in page
    assert "Total 6 100.0 % 4 1 1 2" in page
    assert "newest versions for the current text of each prompt (n = 3)" in page


def test_the_table_is_saved_as_csv_that_no_spreadsheet_takes_for_formulas(reader, specs):
    answer = reader.get("/p/tides/specs/statistics.csv")

    rows = list(csv.reader(answer.content.decode().splitlines()))
    assert rows[0] == ["type", "native", "generated", "refused", "total", "share", "specs"]
    assert rows[1] == ["contain", "3", "0", "0", "3", "0.500000", "2"]
    assert rows[2][0] == "'=odd"
    assert rows[-1] == ["total", "4", "1", "1", "6", "1.000000", "2"]
    assert "tides-constraint-types.csv" in answer.headers["Content-Disposition"]


def test_an_empty_project_says_where_constraints_come_from(reader):
    assert "No constraints" in reader.get(PAGE).content.decode()
    assert reader.get("/p/tides/specs/statistics.csv").content.decode().splitlines()[-1] == (
        "total,0,0,0,0,,0"
    )


def test_an_unknown_state_is_refused(reader):
    assert reader.get(f"{PAGE}?state=odd").status_code == 422


def test_the_page_takes_six_queries_whatever_there_is(reader, project):
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            reader.get(PAGE)
        return len(found)

    few = queries()
    for number in range(30):
        ask(make_spec(make_prompt(project)), "contain", f"type-{number}")

    # session, person, project with roles, the steps of the flow, and the table's two
    assert (few, queries()) == (6, 6)


def test_annotators_do_not_see_it(client, project):
    client.force_login(make_member(project, Role.ANNOTATOR))

    assert client.get(PAGE).status_code == 403
