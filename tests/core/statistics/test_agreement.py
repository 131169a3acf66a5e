"""Agreement beyond chance: hand calculations, published figures, independent implementations."""

import json

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats import inter_rater

from rubricstudio.core.errors import StatisticsError
from rubricstudio.core.statistics import (
    ScaleLevel,
    Weighting,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    half_credit_agreement,
    krippendorff_alpha,
    percent_agreement,
    weighted_kappa,
)
from tests.shared_data import shared_path

LABELS = st.integers(0, 3)
PAIRS = st.lists(st.tuples(LABELS, LABELS), min_size=2, max_size=40)
UNITS = st.lists(st.lists(st.none() | LABELS, min_size=3, max_size=3), min_size=2, max_size=25)


def table(pairs):
    counts = np.zeros((4, 4))
    for one, other in pairs:
        counts[one, other] += 1
    return counts


def test_kappa_of_a_table_worked_by_hand():
    # 20 both yes, 15 both no, 5 yes/no, 10 no/yes: p_o = .7; yes .5 and .6, p_e = .3 + .2 = .5;
    # kappa = .2 / .5 = .4. AC1: π(yes) = .55, p_e = .55 * .45 * 2 / 1 = .495; .205 / .505.
    first = ["y"] * 20 + ["n"] * 15 + ["y"] * 5 + ["n"] * 10
    second = ["y"] * 20 + ["n"] * 15 + ["n"] * 5 + ["y"] * 10
    assert percent_agreement(first, second).value == pytest.approx(0.7)
    assert cohen_kappa(first, second).value == pytest.approx(0.4)
    assert gwet_ac1(first, second).value == pytest.approx(0.205 / 0.505)


def test_high_prevalence_lowers_kappa_and_not_ac1():
    # 92 of 100 agree; yes at 95 % for both: a 91, b 4, c 4, d 1: kappa (.92 - .905) / .095 = .158;
    # AC1: p_e = 2 * .95 * .05 = .095, (.92 - .095) / .905 = .912.
    first = ["y"] * 91 + ["y"] * 4 + ["n"] * 4 + ["n"]
    second = ["y"] * 91 + ["n"] * 4 + ["y"] * 4 + ["n"]
    assert cohen_kappa(first, second).value == pytest.approx(0.1579, abs=1e-4)
    assert gwet_ac1(first, second).value == pytest.approx(0.9116, abs=1e-4)


def test_missing_labels_are_left_out_and_counted():
    found = cohen_kappa(["a", None, "b", "a"], ["a", "b", None, "b"])
    assert (found.n, found.left_out) == (2, 2)
    assert percent_agreement([None], ["a"]).reason == "no unit was labelled by both"
    assert percent_agreement([None], ["a"]).left_out == 1


@pytest.mark.parametrize("measure", [cohen_kappa, gwet_ac1])
def test_one_label_throughout_is_undefined_and_not_perfect(measure):
    found = measure(["a", "a"], ["a", "a"])
    assert found.value is None
    assert found.n == 2
    assert found.reason


def test_ac1_counts_the_labels_that_could_have_been_given():
    # Two labels given of three possible: π = .75 and .25, p_e = .375 / 2 = .1875, p_o = .5.
    first, second = ["a", "a"], ["a", "b"]
    assert gwet_ac1(first, second, labels=["a", "b", "c"]).value == pytest.approx(0.3125 / 0.8125)
    assert gwet_ac1(["a", "a"], ["a", "a"], labels=["a", "b"]).value == 1.0
    with pytest.raises(StatisticsError, match="'b' is not listed"):
        gwet_ac1(first, second, labels=["a", "c"])


def test_a_tie_beside_a_decision_counts_half():
    first, second = ["a", "a", "tie", "a"], ["a", "tie", "tie", "b"]
    assert percent_agreement(first, second).value == 0.5
    assert half_credit_agreement(first, second, tie="tie").value == 0.625
    assert half_credit_agreement([], [], tie="tie").value is None


def test_series_of_different_length_are_refused():
    with pytest.raises(StatisticsError, match="one rater has 1 labels and the other 2"):
        cohen_kappa(["a"], ["a", "b"])


@settings(max_examples=60, deadline=None)
@given(PAIRS.filter(lambda pairs: len({label for pair in pairs for label in pair}) > 1))
def test_kappas_agree_with_an_independent_implementation(pairs):
    first, second = zip(*pairs, strict=True)
    theirs = inter_rater.cohens_kappa(table(pairs), return_results=False)
    assert cohen_kappa(first, second).value == pytest.approx(theirs, abs=1e-12)
    for weighting, name in ((Weighting.LINEAR, "linear"), (Weighting.QUADRATIC, "quadratic")):
        found = weighted_kappa(first, second, order=range(4), weighting=weighting)
        expected = inter_rater.cohens_kappa(
            table(pairs), weights=np.arange(4), wt=name, return_results=False
        )
        assert found.value == pytest.approx(expected, abs=1e-9)


def test_an_order_that_lacks_or_repeats_a_label_is_refused():
    with pytest.raises(StatisticsError, match="'c' is not in the order"):
        weighted_kappa(["a"], ["c"], order=["a", "b"])
    with pytest.raises(StatisticsError, match="twice"):
        weighted_kappa(["a"], ["a"], order=["a", "a"])


def test_weighted_kappa_of_nothing_or_of_one_label_is_undefined():
    assert weighted_kappa([None], ["a"], order=["a"]).reason == "no unit was labelled by both"
    assert weighted_kappa(["a"], ["a"], order=["a", "b"]).value is None
    assert gwet_ac1([None], ["a"]).value is None
    assert cohen_kappa([None], ["a"]).value is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(LABELS, min_size=3, max_size=3), min_size=2, max_size=30))
def test_fleiss_agrees_with_an_independent_implementation(units):
    ours = fleiss_kappa(units)
    if ours.value is None:
        assert len({label for unit in units for label in unit}) == 1
        return
    counts = [[unit.count(label) for label in range(4)] for unit in units]
    assert ours.value == pytest.approx(inter_rater.fleiss_kappa(np.array(counts)), abs=1e-12)


def test_fleiss_leaves_out_units_with_one_label():
    found = fleiss_kappa([["a", "b"], ["a", None], ["b", "b", "b"]])
    assert (found.n, found.left_out) == (2, 1)
    assert fleiss_kappa([["a", None]]).reason == "no unit has two labels"


@settings(max_examples=60, deadline=None)
@given(UNITS, st.sampled_from(list(ScaleLevel)))
def test_alpha_agrees_with_an_independent_implementation(units, level):
    ours = krippendorff_alpha(units, level)
    given_values = [[v for v in unit if v is not None] for unit in units]
    if ours.value is None:
        assert len({v for unit in given_values if len(unit) > 1 for v in unit}) < 2
        return
    values = {v for unit in given_values for v in unit}
    data = np.array([[np.nan if v is None else v for v in unit] for unit in units]).T
    theirs = krippendorff.alpha(
        reliability_data=data, level_of_measurement=level.value, value_domain=sorted(values)
    )
    assert ours.value == pytest.approx(theirs, abs=1e-9)


def test_alpha_of_values_that_cannot_be_compared_is_refused():
    with pytest.raises(StatisticsError, match="not finite"):
        krippendorff_alpha([[1.0, float("inf")]], ScaleLevel.INTERVAL)
    assert krippendorff_alpha([[1, None]], ScaleLevel.NOMINAL).reason == "no unit has two values"


@pytest.mark.shared
def test_the_published_kappas_of_three_annotators_come_out():
    path = shared_path("pandalm/labels_all_999.jsonl")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    one, two, three = ([row[f"annotator{n}"] for row in rows] for n in (1, 2, 3))
    assert cohen_kappa(one, two).value == pytest.approx(0.8520, abs=5e-5)
    assert cohen_kappa(one, three).value == pytest.approx(0.8789, abs=5e-5)
    assert cohen_kappa(two, three).value == pytest.approx(0.8617, abs=5e-5)
    units = list(zip(one, two, three, strict=True))
    assert fleiss_kappa(units).value == pytest.approx(0.8642, abs=5e-5)


def llmbar_runs():
    for subset in ("Natural", "Adversarial_GPTInst", "Adversarial_Manual"):
        for judge in ("GPT-4", "ChatGPT", "PaLM2"):
            for strategy in ("Vanilla", "Swap", "Metrics_Reference"):
                yield f"{subset}/{judge}_{strategy}"


@pytest.mark.shared
@pytest.mark.parametrize("name", list(llmbar_runs()))
def test_the_published_figures_of_both_orders_come_out(name):
    # Every winner other than "1", unparsable ones too, is one class in these files.
    results = shared_path(f"llmbar/{name}_results.jsonl").read_text().splitlines()
    published = json.loads(shared_path(f"llmbar/{name}_statistics.json").read_text())
    # Some strategies write notes first; the last entry holds the verdicts.
    calls = [json.loads(line)["results"][-1] for line in results]
    first = [call["swap = False"]["winner"] == "1" for call in calls]
    second = [call["swap = True"]["winner"] == "1" for call in calls]
    assert cohen_kappa(first, second).value == pytest.approx(published["kappa_agreement"], abs=1e-6)
