import pytest

from apps.calls import services
from apps.calls.models import Template, TemplateVersion
from apps.calls.services import templates
from rubricstudio.llm.render import Template as TemplateText
from rubricstudio.llm.render import shipped_templates
from tests.factories import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def _changed_judge(monkeypatch):
    changed = {**shipped_templates(), "judge": TemplateText("judge", "another text")}
    monkeypatch.setattr(templates, "shipped_templates", lambda: changed)


def versions(name):
    rows = TemplateVersion.objects.filter(template__name=name).order_by("version")
    return list(rows.values_list("version", "text"))


def test_every_shipped_text_becomes_a_version():
    services.seed_templates()

    assert dict(TemplateVersion.objects.values_list("template__name", "text")) == {
        name: template.text for name, template in shipped_templates().items()
    }


def test_seeding_again_adds_nothing():
    services.seed_templates()

    assert services.seed_templates() == 0


def test_a_shipped_text_that_changed_is_a_new_version(request):
    services.seed_templates()
    request.getfixturevalue("_changed_judge")

    services.seed_templates()

    shipped = shipped_templates()["judge"].text
    assert versions("judge") == [(1, shipped), (2, "another text")]


def test_a_project_asks_with_its_own_template():
    project = make_project("p")
    own = Template.objects.create(project=project, name="judge")
    TemplateVersion.objects.create(template=own, version=1, text="my text", sha256="1" * 64)

    assert services.templates_for(project)["judge"].text == "my text"


def test_another_project_goes_on_with_the_shipped_one():
    mine, other = (make_project(slug) for slug in ("mine", "other"))
    own = Template.objects.create(project=mine, name="judge")
    TemplateVersion.objects.create(template=own, version=1, text="my text", sha256="1" * 64)

    assert services.templates_for(other)["judge"] == shipped_templates()["judge"]
