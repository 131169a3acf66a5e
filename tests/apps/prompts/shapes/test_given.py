"""Published constraints and rubric rows are kept as they came, with their shape checked."""

import pytest

from apps.prompts.reading import Row, RowError
from apps.prompts.shapes import read_prompt

CRITERION = {"criterion": "Names the Moon.", "points": -3, "tags": ["axis:accuracy"]}
CHECK = {"name": "Depth", "criteria_description": "How deep.", "1-2": "Shallow."}


def given(table=False, **values):
    return read_prompt(Row(1, {"prompt": "Why?", **values}, "", table)).extras.given


def test_the_arguments_of_constraints_lose_their_nulls():
    kwargs = [{"N": None, "keyword": "sea"}, None, {"n": 0, "flag": False}]

    assert given(instruction_id_list=["a:b", "c:d", "e:f"], kwargs=kwargs) == {
        "kind": "ifeval",
        "instruction_id_list": ["a:b", "c:d", "e:f"],
        "kwargs": [{"keyword": "sea"}, {}, {"n": 0, "flag": False}],
    }


def test_constraints_may_have_no_arguments_at_all():
    assert given(instruction_id_list=["a:b"])["kwargs"] == [{}]


def test_constraints_may_stand_in_cells_and_arguments_in_texts():
    cells = {"instruction_id_list": '["a:b"]', "kwargs": '[{"n": 1, "m": null}]'}

    assert given(table=True, **cells)["kwargs"] == [{"n": 1}]
    assert given(instruction_id_list=["a:b"], kwargs=['{"n": 1}'])["kwargs"] == [{"n": 1}]


@pytest.mark.parametrize(
    ("names", "kwargs", "reason"),
    [
        ("a:b", [{}], "is not a list of names"),
        ([], [], "is not a list of names"),
        ([1], [{}], "is not a list of names"),
        (["a:b"], [], "has 1 names, and kwargs is no list of as many"),
        (["a:b"], {"n": 1}, "kwargs is no list"),
        (["a:b"], [3], "an entry of kwargs is not an object"),
    ],
)
def test_constraints_of_another_shape_are_refused(names, kwargs, reason):
    with pytest.raises(RowError, match=reason):
        given(instruction_id_list=names, kwargs=kwargs)


def test_rubric_rows_with_points_are_kept_whole():
    assert given(rubrics=[CRITERION]) == {"kind": "healthbench", "rubrics": [CRITERION]}


@pytest.mark.parametrize("points", [None, "3", True, [3]])
def test_points_are_numbers(points):
    with pytest.raises(RowError, match="rubrics 2: a row has a criterion"):
        given(rubrics=[CRITERION, {**CRITERION, "points": points}])


def test_a_checklist_is_kept_whole():
    assert given(checklist=[CHECK]) == {"kind": "writingbench", "checklist": [CHECK]}


def test_a_checklist_row_without_a_description_is_refused():
    with pytest.raises(RowError, match="checklist 1: a row has a name"):
        given(checklist=[{"name": "Depth"}])


@pytest.mark.parametrize("rubrics", ["Be kind.", ["Be kind."], [], None, [{"text": "Be kind."}]])
def test_rubrics_of_an_unknown_shape_stay_a_column(rubrics):
    value = read_prompt(Row(1, {"prompt": "Why?", "rubrics": rubrics}, ""))

    assert value.extras.given == {}
    assert value.columns == {"rubrics": rubrics}
