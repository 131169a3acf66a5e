"""The bar of a run, and charts under the security policy."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.template import Context, Template


def shown(source: str, **context) -> str:
    return Template("{% load figures %}" + source).render(Context(context))


def run(**counts):
    names = ("scored", "unscored", "failed", "running", "queued")
    values = {name: counts.get(name, 0) for name in names}
    return SimpleNamespace(expected=sum(values.values()), **values)


def test_the_five_numbers_of_a_run_stand_beside_their_sum():
    page = shown("{% run_bar run rule='why' %}", run=run(scored=1998, failed=1, queued=1))

    for text in ("1,998", "99.9 %", "0.1 %, may run again", "= expected", "2,000", "why"):
        assert text in page


def test_what_is_not_there_has_no_segment():
    page = shown("{% run_bar run %}", run=run(scored=3, unscored=1))

    assert '<svg class="scored" width="75.000%"' in page
    assert '<svg class="failed"' not in page


def test_a_run_without_cells_is_drawn_empty():
    assert "<svg" not in shown("{% run_bar run %}", run=run())


def test_a_chart_has_its_numbers_as_a_table():
    page = shown(
        "{% chart figure name='x' title='Rewards' table=table %}",
        figure={"data": [{"x": ["</script>"]}]},
        table={"head": ["Reward", "n"], "rows": [["0–1", 3]]},
    )

    assert '<th scope="row">0–1</th><td class="number">3</td>' in page
    assert 'id="chart-x" type="application/json"' in page
    assert '"</script>"' not in page


@pytest.fixture
def plotly() -> str:
    return Path(str(finders.find("vendor/plotly.min.js"))).read_text()


def test_plotly_is_served_from_its_package(plotly):
    assert plotly.startswith("/**\n* plotly.js")


def test_plotly_finds_every_element_that_keeps_it_from_writing_styles(plotly):
    """A new version of the package may use other ids: write them into chart_scripts.html."""
    page = shown("{% chart_scripts %}")
    guarded = plotly.count('document.createElement("style")')

    assert guarded == 2
    assert 'class="no-inline-styles"' in page
    assert '.matches(".no-inline-styles")' in plotly
    map_styles = plotly.split('if(!document.getElementById("')[1].split('"')[0]
    assert f'id="{map_styles}"' in page


def test_collected_files_hold_the_script_of_plotly(tmp_path, settings):
    settings.STATIC_ROOT = tmp_path

    call_command("collectstatic", interactive=False, verbosity=0, dry_run=False, link=True)

    assert (tmp_path / "vendor" / "plotly.min.js").exists()
