"""Meta-rubrics: composition, differences, Markdown there and back, and what ships."""

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.errors import MetaRubricError
from rubricstudio.core.metarubrics import (
    ChangeKind,
    FailureMode,
    MetaCriterion,
    MetaRubric,
    MetaScope,
    Principle,
    Tier,
    compose,
    differences,
    from_markdown,
    shipped,
    to_markdown,
)

GENERAL = MetaRubric(
    name="Ours",
    scope=MetaScope.GENERAL,
    summary="For everything.",
    principles=(Principle("fair", "Be fair."),),
    criteria=(
        MetaCriterion("clear", "Is clear", "Can be followed.", Tier.CORE, ("order",), "always"),
        MetaCriterion("short", "Is short", "Wastes nothing."),
    ),
    failure_modes=(
        FailureMode("false", "States a falsehood.", True),
        FailureMode("dull", "Bores."),
    ),
    weighting="Core first.",
    instantiation=("Read the prompt.",),
)
DOMAIN = MetaRubric(
    name="Poems",
    scope=MetaScope.DOMAIN,
    domain="poetry",
    criteria=(
        MetaCriterion("clear", "Is dark", "May be dark.", Tier.HIGHLIGHT),
        MetaCriterion("sound", "Sounds", "Can be read aloud."),
    ),
    failure_modes=(FailureMode("false", "Lies about the world it makes.", True),),
    instantiation=("Listen.",),
    removes=("short", "dull"),
)


def test_a_domain_is_laid_over_the_general_one_by_key():
    made = compose(GENERAL, DOMAIN)
    assert [one.key for one in made.criteria] == ["clear", "sound"]
    assert made.criteria[0].tier is Tier.HIGHLIGHT
    assert [one.text for one in made.failure_modes] == ["Lies about the world it makes."]
    assert made.principles == GENERAL.principles
    assert (made.summary, made.weighting) == ("For everything.", "Core first.")
    assert made.instantiation == ("Read the prompt.", "Listen.")
    assert compose(GENERAL, None) is GENERAL


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"removes": ("false",)}, "removes false, a critical failure mode"),
        ({"removes": ("nothing",)}, "removes nothing, which Ours does not have"),
        (
            {"failure_modes": (FailureMode("false", "Perhaps."),)},
            "makes false less than critical",
        ),
        ({"principles": (Principle("false", "Be false."),)}, None),
        ({"criteria": (MetaCriterion("fair", "Fair", "Fair."),)}, "for something else"),
    ],
)
def test_a_critical_failure_mode_always_holds(change, sentence):
    if sentence is None:
        with pytest.raises(MetaRubricError, match="stands twice"):
            replace(DOMAIN, **change)
        return
    with pytest.raises(MetaRubricError, match=sentence):
        compose(GENERAL, replace(DOMAIN, **change))


def test_only_a_general_and_a_domain_can_be_put_together():
    with pytest.raises(MetaRubricError, match="no general meta-rubric"):
        compose(DOMAIN, None)
    with pytest.raises(MetaRubricError, match="not the meta-rubric of a domain"):
        compose(GENERAL, GENERAL)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": " "}, "needs a name"),
        ({"domain": "x"}, "exactly when its scope is domain"),
        ({"removes": ("short",)}, "nothing to remove from"),
        ({"principles": (Principle("Fair!", "x"),)}, "is no key"),
        ({"principles": (Principle("clear", "x"),)}, "the key clear stands twice"),
        ({"principles": (Principle("fair", " "),)}, "is blank"),
        ({"principles": (Principle("fair", "x" * 2_001),)}, "longer than 2,000"),
        (
            {"criteria": tuple(MetaCriterion(f"c{n}", "C", "c") for n in range(21))},
            "20 are the most",
        ),
    ],
)
def test_a_meta_rubric_that_contradicts_itself_is_refused(change, sentence):
    with pytest.raises(MetaRubricError, match=sentence):
        replace(GENERAL, **change)


@pytest.mark.parametrize("rubric", [GENERAL, DOMAIN, *shipped()], ids=lambda one: one.name)
def test_both_forms_are_read_back_the_same(rubric):
    assert MetaRubric.from_dict(rubric.to_dict()) == rubric
    assert from_markdown(to_markdown(rubric)) == rubric
    assert from_markdown(to_markdown(rubric).replace("\n", "\r\n")) == rubric


WORD = st.text("abc xyz漢字אב()*:", min_size=1, max_size=20).map(str.strip).filter(bool)


@given(st.lists(WORD, min_size=1, max_size=3), WORD)
def test_any_one_line_texts_survive_markdown(texts, title):
    rubric = MetaRubric(
        name="Name",
        scope=MetaScope.GENERAL,
        criteria=(MetaCriterion("key", title, "Asks.", points=tuple(texts)),),
        failure_modes=tuple(FailureMode(f"f{n}", text) for n, text in enumerate(texts)),
        instantiation=tuple(texts),
    )
    assert from_markdown(to_markdown(rubric)) == rubric


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "needs a name"),
        ("# A\nScope: some", "the scope is 'some'"),
        ("# A\n## Extras\n- x", "line 2: there is no section 'Extras'"),
        ("# A\n## Principles\nkey: text", r"line 3: an entry is written - \*\*key\*\*: text"),
        ("# A\n## Principles\n- **k** (critical): text", "line 3: an entry is written"),
        ("# A\n## Failure modes\n- **k** (bad): text", r"- \*\*key\*\* \(critical\): text"),
        ("# A\n## Criteria\ntext", "line 3: a criterion begins with"),
        ("# A\n## Criteria\n### key: Title", "line 3: a criterion begins with"),
        ("# A\n## Criteria\n### key (top): Title\nx", "the tier is 'top'"),
        ("# A\n## Criteria\n### key (core): Title", "the text of key is blank"),
        ("# A\n## Instantiation\nrule", "line 3: a rule is written - rule"),
    ],
)
def test_markdown_that_cannot_be_read_names_its_line(text, sentence):
    with pytest.raises(MetaRubricError, match=sentence):
        from_markdown(text)


def test_markdown_may_leave_out_titles():
    made = from_markdown("# A\n\n## Criteria\n### key (core)\nAsks.\nAnd more.\n")
    assert made.criteria[0].title == "key"
    assert made.criteria[0].text == "Asks.\nAnd more."
    assert from_markdown("# A\n## Criteria\n").criteria == ()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"extra": 1}, "has no 'extra'"),
        ({"name": 3, "scope": "general"}, "the name of a meta-rubric is 3"),
        ({"criteria": "x"}, "criteria is 'x'; it has to be a list"),
        ({"criteria": ["x"]}, "has to be an object with key and text"),
        ({"principles": ["x"]}, "has to be an object with key and text"),
        ({"principles": [{"key": "k"}]}, "needs text"),
        ({"principles": [{"key": "k", "text": "t", "tier": "core"}]}, "has no 'tier'"),
        ({"criteria": [{"key": "k", "text": "t", "points": "x"}]}, "points is 'x'"),
    ],
)
def test_a_stored_form_that_cannot_be_read_is_refused(data, sentence):
    with pytest.raises(MetaRubricError, match=sentence):
        MetaRubric.from_dict({"name": "A", "scope": "general"} | data)


def test_the_hash_tells_contents_apart_and_not_names():
    assert replace(GENERAL, name="Other").content_hash() == GENERAL.content_hash()
    assert replace(GENERAL, weighting="").content_hash() != GENERAL.content_hash()


def test_differences_are_told_entry_by_entry():
    first, second = GENERAL.criteria
    after = replace(
        GENERAL,
        summary="For all.",
        principles=(),
        criteria=(second, replace(first, tier=Tier.IMPORTANT)),
        failure_modes=(*GENERAL.failure_modes, FailureMode("new", "Is new.")),
        instantiation=(),
    )
    found = {(one.kind, one.key) for one in differences(GENERAL, after)}
    assert found == {
        (ChangeKind.REMOVED, "fair"),
        (ChangeKind.CHANGED, "clear"),
        (ChangeKind.MOVED, "short"),
        (ChangeKind.ADDED, "new"),
        (ChangeKind.CHANGED, "summary"),
        (ChangeKind.CHANGED, "instantiation"),
    }
    assert differences(GENERAL, GENERAL) == []


def test_a_general_one_and_seven_domains_ship():
    general, *domains = shipped()
    assert general.scope is MetaScope.GENERAL
    assert [one.domain for one in domains] == [
        *("coding-help", "creative-writing", "decision-support", "factual-qa", "grounded-qa"),
        *("instruction-following", "safety"),
    ]


@pytest.mark.parametrize("domain", shipped()[1:], ids=lambda one: one.domain)
def test_every_shipped_domain_goes_with_the_general_one(domain):
    made = compose(shipped()[0], domain)
    assert 5 <= len(made.criteria) <= 20
    assert any(one.critical for one in made.failure_modes)
    critical = {one.key for one in shipped()[0].failure_modes if one.critical}
    assert critical <= {one.key for one in made.failure_modes}


def test_shipped_criteria_do_not_repeat_each_other():
    for rubric in shipped():
        for one, other in combinations(rubric.criteria, 2):
            first, second = (set(each.text.lower().split()) for each in (one, other))
            assert len(first & second) / len(first | second) < 0.5, (one.key, other.key)
