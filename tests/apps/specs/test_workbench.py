"""The workbench of a spec, as people of a project use it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import Project, Role, User
from apps.activity.services import save_draft
from apps.specs import services
from apps.specs.models import Constraint as Row
from apps.specs.models import Spec
from rubricstudio.core.types import Constraint, Criterion
from tests.factories import make_group, make_member, make_project, make_prompt, make_rollout, newest

pytestmark = pytest.mark.django_db
BENCH = "/p/tides/specs/1/workbench/"
PROMPT = 'Write three paragraphs, at most 200 words. Do not mention "tea" <at all>.'
PARAGRAPHS = Constraint(
    "paragraph_count", {"op": "eq", "value": 3}, evidence="Write three paragraphs"
)
NO_TEA = Constraint("not_contain", {"phrases": ["tea"]}, evidence="given as keywords:forbidden")
POEM = Constraint("poem", {"lines": 14})


@pytest.fixture
def project() -> Project:
    return make_project("tides")


def spec_of(project: Project, *constraints: Constraint, text: str = PROMPT) -> Spec:
    draft = services.Draft(
        criteria=(Criterion("c1", "Names the Moon."),),
        constraints=tuple(
            services.DraftConstraint.of(one, origin=Row.Origin.GIVEN) for one in constraints
        ),
        method="given",
    )
    return services.save_draft(newest(make_prompt(project, text)), draft=draft)


@pytest.fixture
def spec(project: Project) -> Spec:
    return spec_of(project, PARAGRAPHS, NO_TEA, POEM)


class Person(Client):
    """Somebody with a role who is signed in."""

    user: User

    def html(self, address: str = "", **headers: str) -> str:
        response = self.get(f"{BENCH}{address}", headers=headers)
        assert response.status_code == 200, response.content.decode()
        return response.content.decode()


def person(project: Project, *roles: Role) -> Person:
    client = Person()
    client.user = make_member(project, *roles)
    client.force_login(client.user)
    return client


@pytest.fixture
def author(project: Project) -> Person:
    return person(project, Role.AUTHOR)


def fields(**values: Any) -> dict[str, Any]:
    """What the form of the paragraph count sends, with some of it changed."""
    return {
        **{"constraint": "1", "type": "paragraph_count", "evidence": "Write three paragraphs"},
        **{"p-op": "eq", "p-value": "3", "p-high": "", "p-tolerance": "", "p-divider": ""},
        **{"o-scope": "whole", "reason": ""},
        **values,
    }


def plain(text: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def test_the_words_of_each_constraint_are_marked_in_the_prompt(spec, author):
    page = author.html("?constraint=2")

    assert '<mark>Write three paragraphs</mark><a class="mark-number" href="?constraint=1">' in page
    # This one quotes nothing; the clause that names its phrase is marked as probable.
    assert '<mark class="chosen probable">Do not mention &quot;tea&quot; &lt;at all&gt;.' in page
    assert "Dashed words are not quoted" in page


def test_the_form_has_a_field_for_each_parameter_with_its_value(spec, author):
    page = author.html()

    assert re.search(r'<input[^>]*name="p-value"[^>]*value="3"', page)
    assert '<option value="eq" selected>exactly</option>' in page
    assert "List items count" in page
    for kind in ("word_count", "nth_paragraph_end_with"):
        assert f'data-chooses="{kind}"' in page


def test_a_refused_constraint_says_why_and_can_be_given_another_type(spec, author):
    page = author.html("?constraint=3")

    assert "poem is not a checked constraint type" in page
    assert '<option value="" selected>poem (no checker answers it)</option>' in page

    author.post(
        f"{BENCH}save/?version=1",
        fields(constraint="3", type="line_count", evidence="", **{"p-value": "14"}),
    )
    assert spec.prompt_revision.specs.get(version=2).constraints.get(position=2).type == (
        "line_count"
    )


def test_another_type_has_other_fields_and_keeps_what_fits(spec, author):
    page = author.post(
        f"{BENCH}fields/?version=1", fields(type="word_count", **{"p-value": "77"})
    ).content.decode()

    assert "<html" not in page
    assert re.search(r'name="p-value"[^>]*value="77"', page)
    assert 'name="o-cjk"' in page
    assert 'name="p-divider"' not in page


def tried(client: Client, response: str, **values: Any) -> str:
    answer = client.post(
        f"{BENCH}try/?version=1",
        {"response": response, **values},
        headers={"HX-Request": "true"},
    )
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_response_gets_each_verdict_with_its_reason_and_marks(spec, author):
    part = tried(author, "One <b>.\n\nTwo, with tea.")

    said = plain(part)
    assert "0 of 2 passed" in said
    assert "2 paragraphs, exactly 3 asked" in said
    assert "found 1 time, none asked" in said
    assert "poem is not a checked constraint type" in said
    assert "One &lt;b&gt;." in part
    assert '<mark class="failed">tea</mark><sup class="mark-number">2</sup>' in part


def test_what_is_typed_into_the_form_counts_before_it_is_saved(spec, author):
    assert "Failed" in plain(tried(author, "One.\n\nTwo."))

    part = plain(tried(author, "One.\n\nTwo.", **fields(**{"p-value": "2"}, evidence="")))

    assert "paragraph count exactly 2 as typed, not saved 2 paragraphs, exactly 2 asked" in part
    assert spec.prompt_revision.specs.count() == 1


def test_what_the_prompt_does_not_ask_for_is_checked_and_said_to_be_doubtful(spec, author):
    part = plain(tried(author, "One.\n\nTwo.", **fields(**{"p-value": "2"})))

    assert "2 paragraphs, exactly 2 asked" in part
    assert "Number: The quoted words do not say 2" in part
    part = plain(tried(author, "One.", **fields(evidence="in four stanzas")))
    assert "1 paragraph, exactly 3 asked" in part
    assert "These words are not in the prompt" in part


def test_a_form_that_is_wrong_says_so_in_place_of_a_verdict(spec, author):
    part = plain(tried(author, "One.", **fields(**{"p-value": "many"})))

    assert "Number: It has to be" in part or "Number: Paragraph_count" in part
    assert "a whole number" in part


def test_constraints_that_cannot_both_be_are_named_as_saved_and_as_typed(project, author):
    few = Constraint("paragraph_count", {"op": "ge", "value": 5})
    spec_of(project, PARAGRAPHS, few, NO_TEA)

    assert "Constraints 1 and 2: paragraph count:" in plain(author.html())
    typed = fields(constraint="2", evidence="", **{"p-op": "ge", "p-value": "2"})
    assert "cannot both be" not in plain(tried(author, "One.", **typed))
    typed["p-value"] = "9"
    assert "Constraints 1 and 2: paragraph count:" in plain(tried(author, "One.", **typed))


@pytest.mark.parametrize(
    ("response", "shown"),
    [
        ("🙂", "🙂"),
        ("你好。世界！", "你好。世界！"),
        ("שלום עולם", "שלום עולם"),
        ("a\0b\x1b[31m", "a␀b␛[31m"),
        ("a\r\nb\r\n\r\nc", "a\nb\n\nc"),
        ("tea " * 300_000, "1,180,000 characters"),
    ],
)
def test_every_kind_of_response_can_be_tried(spec, author, response, shown):
    part = tried(author, response)

    assert shown in part or "1,200,000 characters" in part
    assert len(part) < 250_000


def test_the_marks_of_a_long_response_are_in_what_is_shown_of_it(spec, author):
    part = tried(author, "x" * 50_000 + " tea " + "y" * 50_000)

    assert '<mark class="failed">tea</mark>' in part
    assert "characters before" in plain(part)
    assert "characters more" in plain(part)


def test_a_response_that_is_too_long_gets_a_sentence(spec, author):
    assert "at most 2000000 can be tried" in tried(author, "x" * 2_000_001)


def test_without_a_script_the_whole_page_comes_back_with_the_verdicts(spec, author):
    page = author.post(f"{BENCH}try/?version=1", {"response": "One."}).content.decode()

    assert "<html" in page
    assert "1 paragraph, exactly 3 asked" in page


def test_a_rollout_is_put_into_the_box(spec, author):
    rollout = make_rollout(spec.prompt_revision.prompt, "The Moon & the Sun.")

    assert "The Moon &amp; the Sun.</textarea>" in author.html(f"?rollout={rollout.number}")
    assert author.get(f"{BENCH}?rollout=99").status_code == 404


def test_saving_makes_the_next_version_and_can_be_undone(spec, author):
    answer = author.post(
        f"{BENCH}save/?version=1",
        fields(**{"p-value": "4"}, evidence="", reason="The title asks for four."),
        follow=True,
    )

    saved = spec.prompt_revision.specs.get(version=2)
    assert saved.constraints.get(position=0).params["value"] == 4
    assert (saved.author, saved.reason) == (author.user, "The title asks for four.")
    page = answer.content.decode()
    assert "Saved as version 2, a draft." in page
    undo = "/p/tides/specs/1/workbench/restore/1/"
    assert f'action="{undo}"' in page

    author.post(undo)
    back = spec.prompt_revision.specs.get(version=3)
    assert back.constraints.get(position=0).params["value"] == 3


def test_a_form_without_changes_saves_nothing(spec, author):
    answer = author.post(f"{BENCH}save/?version=1", fields(), follow=True)

    assert "Nothing was changed" in answer.content.decode()
    assert spec.prompt_revision.specs.count() == 1


def test_a_constraint_is_added_and_removed(spec, author):
    new = fields(constraint="new", type="word_count", evidence="at most 200 words")
    author.post(f"{BENCH}save/?version=1", {**new, "p-op": "le", "p-value": "200"})
    author.post(f"{BENCH}remove/?version=2", {"constraint": "3"})

    kinds = spec.prompt_revision.specs.get(version=3).constraints.values_list("type", flat=True)
    assert list(kinds) == ["paragraph_count", "not_contain", "word_count"]


def errors_of(client: Client, **values: Any) -> dict[str, str]:
    """The sentence at each field of the form that comes back."""
    answer = client.post(f"{BENCH}save/?version=1", fields(**values))
    assert answer.status_code == 422
    page = answer.content.decode()
    found = re.findall(r'<p class="error" id="id_([^"]+)_error">([^<]*)</p>', page)
    return dict(found)


@pytest.mark.parametrize(
    ("values", "field", "sentence"),
    [
        ({"p-value": "0"}, "p-value", "ask for 1 or more"),
        ({"p-value": "9" * 30}, "p-value", "a whole number from 0 to 10,000,000"),
        ({"p-value": "-3"}, "p-value", "a whole number from 0"),
        ({"p-value": "three"}, "p-value", "a whole number from 0"),
        ({"p-value": ""}, "p-value", "It is needed."),
        ({"p-value": "4"}, "p-value", "The quoted words do not say 4"),
        ({"p-high": "5"}, "p-high", "goes with the operator between"),
        ({"p-op": "between", "p-high": "2", "evidence": ""}, "p-high", "put the smaller one"),
        ({"evidence": "in four stanzas"}, "evidence", "These words are not in the prompt"),
        ({"evidence": "x" * 2_001}, "evidence", "at most 2000 characters"),
        ({"type": ""}, "type", "choose another one"),
        ({"type": "not_contain", "p-phrases": " \n\t\n"}, "p-phrases", "It is needed."),
        (
            {"type": "nth_paragraph_contain", "p-n": "0", "p-text": "sea"},
            "p-n",
            "1 for the first",
        ),
        ({"type": "begin_with", "p-text": "a\0b"}, "p-text", "Null characters"),
        ({"o-scope": "half"}, "o-scope", "half is not one of the available choices"),
    ],
)
def test_what_cannot_be_gets_a_sentence_at_its_field(spec, author, values, field, sentence):
    found = errors_of(author, **values)

    assert sentence in found[field]
    assert spec.prompt_revision.specs.count() == 1


def test_a_wrong_option_is_shown_unfolded(spec, author):
    page = author.post(f"{BENCH}save/?version=1", fields(**{"o-scope": "half"}))

    assert re.search(r'<details class="bench-options" open>', page.content.decode())


def test_phrases_with_line_breaks_come_back_as_they_were(project, author):
    spec_of(project, Constraint("contain", {"phrases": ["a\nb", "c⏎d"]}))
    assert "a⏎b\nc\\⏎d</textarea>" in author.html()

    author.post(
        f"{BENCH}save/?version=1",
        fields(type="contain", evidence="", **{"p-phrases": "a⏎b\r\n\r\nc\\⏎d\r\ne"}),
    )

    saved = Spec.objects.get(version=2).constraints.get()
    assert saved.params["phrases"] == ["a\nb", "c⏎d", "e"]


def test_two_people_who_change_the_same_see_both_texts_and_one_decides(spec, project, author):
    other = person(project, Role.AUTHOR)
    other.post(f"{BENCH}save/?version=1", fields(**{"p-value": "5"}, evidence=""))

    answer = author.post(f"{BENCH}save/?version=1", fields(**{"p-value": "4"}, evidence=""))

    page = answer.content.decode()
    assert answer.status_code == 409
    assert "changed this constraint meanwhile" in page
    assert "paragraph count exactly 4" in page
    assert "paragraph count exactly 5" in page
    address = re.search(r'action="([^"]+save/\?version=2)"', page)
    assert address is not None
    mine = fields(**{"p-value": "4", "take-constraint": "mine"}, evidence="")
    theirs = {**mine, "take-constraint": "theirs"}
    author.post(address[1], theirs)
    assert Spec.objects.order_by("-version")[0].version == 2
    author.post(address[1], mine)
    assert Spec.objects.get(version=3).constraints.get(position=0).params["value"] == 4


def test_a_draft_of_another_type_has_its_fields_when_the_page_comes_back(spec, project, author):
    key = re.search(r'data-draft="([^"]+)"', author.html())
    assert key is not None
    save_draft(
        user=author.user,
        project=project,
        key=key[1],
        body={"type": "word_count", "p-value": "80"},
        version=0,
    )

    assert 'name="o-cjk"' in author.html()
    author.post(f"{BENCH}save/?version=1", fields(**{"p-value": "4"}, evidence=""))
    assert not author.user.drafts.exists()


def test_an_older_version_is_to_read_and_its_constraints_can_count_again(spec, author):
    services.remove_constraint(spec, number=1, author=author.user)

    page = author.html("?version=1")

    assert "This is version 1; the newest is version 2." in page
    assert 'id="constraint-form"' not in page
    assert "Take these constraints again" in page


def test_only_authors_change_and_readers_try(spec, project):
    for role, may_read, may_write in (
        (Role.AUTHOR, True, True),
        (Role.ADMIN, True, True),
        (Role.REVIEWER, True, False),
        (Role.AUDITOR, True, False),
        (Role.ANNOTATOR, False, False),
    ):
        client = person(project, role)
        page = client.get(BENCH)
        assert page.status_code == (200 if may_read else 403), role
        assert ('id="constraint-form"' in page.content.decode()) == may_write, role
        tried_by = client.post(f"{BENCH}try/?version=1", {"response": "x"})
        assert tried_by.status_code == (200 if may_read else 403), role
        for act in ("fields/", "save/?version=1", "remove/?version=1", "restore/1/"):
            status = client.post(f"{BENCH}{act}", fields()).status_code
            assert (status == 403) == (not may_write), (role, act)
    stranger = person(make_project(), Role.ADMIN)
    assert stranger.get(BENCH).status_code == 404


def test_a_reviewer_approves_on_the_workbench_and_stays_there(spec, project, author):
    author.post("/p/tides/specs/1/1/ask/", {"reason": "Look.", "from": "workbench"})
    reviewer = person(project, Role.REVIEWER)
    assert 'name="from" value="workbench"' in reviewer.html()

    answer = reviewer.post("/p/tides/specs/1/1/approve/", {"from": "workbench"})

    spec.refresh_from_db()
    assert spec.state == "candidate"
    assert answer.headers["Location"] == BENCH


def test_the_page_takes_the_same_queries_for_many_constraints_and_versions(project, author):
    spec = spec_of(project, PARAGRAPHS)

    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            author.html()
        return len(found)

    few = queries()
    for number in range(2, 12):
        spec = services.add_constraint(
            spec,
            constraint=Constraint("word_count", {"op": "ge", "value": number}),
            author=author.user,
        )
    make_rollout(spec.prompt_revision.prompt, group=make_group(spec.prompt_revision.prompt))

    assert queries() == few


def test_a_try_takes_five_queries(spec, author):
    with CaptureQueriesContext(connection) as queries:
        tried(author, "One.", **fields())

    # session, person, project with roles, the version with its criteria and its constraints
    assert len(queries) <= 6


def test_a_published_instruction_is_edited_in_its_own_dialect(project, author):
    words = Constraint(
        "length_constraints:number_words",
        {"num_words": 50, "relation": "at least"},
        evidence="given as length_constraints:number_words",
        dialect="ifeval/1",
    )
    spec_of(project, words)

    page = author.html("?constraint=1")
    assert "Has a number of words." in page
    assert 'name="p-num_words"' in page
    values = {"constraint": "1", "type": words.type, "p-num_words": "60", "o-loose": "on"}
    values |= {"p-relation": "less than", "evidence": "", "reason": ""}
    saved = author.post(f"{BENCH}save/", values)

    assert saved.status_code == 302, saved.content.decode()
    row = Spec.objects.get(version=2).constraints.get()
    assert (row.type, row.dialect, row.options) == (words.type, "ifeval/1", {"loose": True})
    assert row.params == {"num_words": 60, "relation": "less than"}


def test_a_published_instruction_can_become_a_type_of_the_studio(project, author):
    spec_of(project, Constraint("punctuation:no_comma", dialect="ifeval/1"))

    saved = author.post(f"{BENCH}save/", fields())

    assert saved.status_code == 302, saved.content.decode()
    row = Spec.objects.get(version=2).constraints.get()
    assert (row.type, row.dialect) == ("paragraph_count", "studio/1")


def test_pairs_of_words_stand_one_on_each_line(project, author):
    name = "fr:special_character:accents"
    pairs = {"word_to_accentuate": {"lecon": "leçon", "ete": "été"}}
    spec_of(project, Constraint(name, pairs, dialect="ifeval/1"))

    assert "ete = été\nlecon = leçon</textarea>" in author.html("?constraint=1")
    typed = {"p-word_to_accentuate": "lecon = leçon\r\n\r\nete=été"}
    saved = author.post(f"{BENCH}save/", {"constraint": "1", "type": name, **typed})

    assert saved.status_code == 302, saved.content.decode()
    # Nothing has changed, so nothing is saved.
    assert Spec.objects.count() == 1


def test_a_published_instruction_is_tried_with_its_meaning(project, author):
    spec_of(project, Constraint("punctuation:no_comma", dialect="ifeval/1"))

    page = author.post(
        f"{BENCH}try/", {"constraint": "1", "response": "Hi, there"}
    ).content.decode()

    assert "1 comma, none asked" in page
    assert "has no comma" in page
