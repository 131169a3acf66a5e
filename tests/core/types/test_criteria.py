import dataclasses
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.canonical import canonical_json
from rubricstudio.core.errors import SpecError
from rubricstudio.core.types import Criterion, Polarity, Scale, Scope, ScopeKind, Source

PLAIN = Criterion("cause", "Names the Moon.")


@pytest.mark.parametrize(
    "criterion",
    [
        PLAIN,
        Criterion("tone", "Fits a child.", 2, essential=True, tier="core", bucket="composition"),
        Criterion("level", "Depth.", scale=Scale.LEVELS, levels=10, anchors={"1-2": "thin"}),
        Criterion("rm", "Model says.", source=Source.REWARD_MODEL, source_name="rm", lo=-5, hi=5),
        Criterion("turn", "Asks back.", scope=Scope.parse("turn:2"), tags=("axis:context",)),
    ],
)
def test_a_criterion_reads_back_from_its_dictionary(criterion):
    assert Criterion.from_dict(criterion.to_dict()) == criterion


NUMBERS = st.integers(-1000, 1000) | st.floats(-1e6, 1e6)


@given(lo=st.none() | NUMBERS, hi=st.none() | NUMBERS, scale=st.sampled_from(Scale))
def test_whatever_bounds_are_given_reading_back_gives_the_same_criterion(lo, hi, scale):
    levels = 5 if scale is Scale.LEVELS else None
    try:
        criterion = dataclasses.replace(PLAIN, scale=scale, levels=levels, lo=lo, hi=hi)
    except SpecError:
        return

    written = json.loads(canonical_json(criterion.to_dict()))
    assert Criterion.from_dict(written) == criterion
    assert Criterion.from_dict(written).content_hash() == criterion.content_hash()


def test_one_bound_alone_takes_the_other_from_the_scale():
    criterion = dataclasses.replace(PLAIN, hi=10)

    assert (criterion.lo, criterion.hi) == (0.0, 10.0)
    assert Criterion.from_dict(criterion.to_dict()) == criterion


def test_a_whole_number_of_levels_is_one_however_it_was_written():
    written = {"key": "level", "text": "Depth.", "scale": "levels", "levels": 5.0}

    assert repr(Criterion.from_dict(written).levels) == "5"


@pytest.mark.parametrize("weight", [0, -1, math.nan, math.inf, True, "3"])
def test_a_weight_is_a_finite_number_above_zero(weight):
    with pytest.raises(SpecError, match="a weight is a finite number above 0"):
        Criterion("cause", "Names the Moon.", weight)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"key": " "}, "has no key"),
        ({"key": None}, "has no key"),
        ({"text": ""}, "'cause' has no text"),
        ({"scale": Scale.LEVELS}, "exactly when its scale is levels"),
        ({"levels": 3}, "exactly when its scale is levels"),
        ({"scale": Scale.LEVELS, "levels": 1}, "at least 2 levels, got 1"),
        ({"scale": Scale.LEVELS, "levels": 2.5}, "at least 2 levels, got 2.5"),
        ({"lo": 1, "hi": 1}, "lie between 1 and 1"),
        ({"hi": math.inf}, "lie between 0.0 and inf"),
        ({"hi": "10"}, "lie between 0.0 and '10'"),
        ({"lo": False, "hi": 3}, "lie between False and 3"),
        ({"hi": 10**400}, "the smaller number, both finite"),
        ({"weight": 10**400}, "a weight is a finite number above 0"),
        ({"source": Source.COLUMN}, "needs the name of it"),
        ({"source_name": "rm"}, "takes no source name"),
    ],
)
def test_a_criterion_that_cannot_score_is_refused_with_a_sentence(changes, sentence):
    with pytest.raises(SpecError, match=sentence):
        dataclasses.replace(PLAIN, **changes)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"key": "a", "text": "b", "colour": 1}, "a criterion has no 'colour'; known are key"),
        ({"key": "a"}, "a criterion needs a key and a text"),
        ({"key": "a", "text": "b", "scale": "stars"}, "'a' cannot be read: 'stars' is not a valid"),
        ({"key": "a", "text": "b", "tags": 3}, "'a' cannot be read"),
        ({"key": "a", "text": "b", "scope": "turn:0"}, "the scope 'turn:0' is not final, turn:1"),
    ],
)
def test_a_dictionary_that_is_no_criterion_is_refused_with_a_sentence(data, sentence):
    with pytest.raises(SpecError, match=sentence):
        Criterion.from_dict(data)


@pytest.mark.parametrize(
    ("scale", "expected"),
    [(Scale.TERNARY, (0, 1)), (Scale.PAIRWISE, (-2, 2)), (Scale.GLOBAL, (0, 10))],
)
def test_the_range_of_scores_follows_from_the_scale(scale, expected):
    criterion = dataclasses.replace(PLAIN, scale=scale)

    assert (criterion.low, criterion.high) == expected


def test_a_range_that_the_scale_has_anyway_makes_no_other_criterion():
    assert dataclasses.replace(PLAIN, lo=0, hi=1) == PLAIN


@pytest.mark.parametrize(
    "change",
    [
        {"text": "Names the Sun."},
        {"scale": Scale.BINARY},
        {"scope": Scope(ScopeKind.CONVERSATION)},
        {"anchors": {"yes": "It does."}},
        {"source": Source.COLUMN, "source_name": "moon"},
        {"hi": 2},
    ],
)
def test_the_content_hash_changes_with_what_a_verdict_depends_on(change):
    assert dataclasses.replace(PLAIN, **change).content_hash() != PLAIN.content_hash()


@pytest.mark.parametrize(
    "change",
    [
        {"key": "moon"},
        {"weight": 5},
        {"polarity": Polarity.NEGATIVE},
        {"bucket": "accuracy"},
        {"rationale": "It matters."},
    ],
)
def test_the_content_hash_stays_when_only_the_use_of_a_verdict_changes(change):
    assert dataclasses.replace(PLAIN, **change).content_hash() == PLAIN.content_hash()


@pytest.mark.parametrize("text", ["final", "turn:3", "conversation"])
def test_a_scope_is_written_as_it_is_read(text):
    assert str(Scope.parse(text)) == text


@pytest.mark.parametrize(("kind", "turn"), [(ScopeKind.TURN, None), (ScopeKind.FINAL, 1)])
def test_a_scope_has_a_turn_exactly_when_it_is_a_turn(kind, turn):
    with pytest.raises(SpecError, match="exactly when it is a turn"):
        Scope(kind, turn)


def test_turns_are_counted_from_one():
    with pytest.raises(SpecError, match="turns are counted from 1, got 0"):
        Scope(ScopeKind.TURN, 0)


def test_equal_criteria_can_be_members_of_a_set():
    assert len({PLAIN, Criterion("cause", "Names the Moon.")}) == 1
