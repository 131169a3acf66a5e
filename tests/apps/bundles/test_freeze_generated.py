"""Generated checkers in a freeze: their code is content, and quarantine stands against it."""

import pytest

from apps.activity.errors import Conflict
from apps.bundles import services
from apps.bundles.models import BundleFile
from apps.judging.services import run_checks
from apps.rewards.services import config_named
from apps.specs import services as specs
from apps.specs.models import CheckerRecord
from rubricstudio.core.checkers.generated import code_path, code_sha256
from tests.apps.judging.test_generated_checks import DIES, HAS_A, make_checked
from tests.factories import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project(settings={"generated_checkers": True})


def freeze(project, **options):
    return services.freeze(
        project=project, config=config_named(project=project, name="default"), **options
    )


def test_the_code_and_the_interpreter_are_in_the_bundle(project):
    make_checked(project, HAS_A)

    bundle = freeze(project, waive="a test").bundle

    assert BundleFile.objects.filter(bundle=bundle, path=code_path(code_sha256(HAS_A))).exists()
    assert bundle.manifest["interpreter"].startswith("cpython-3.")
    assert freeze(project, waive="a test").bundle == bundle


def test_a_quarantine_stands_against_a_freeze_and_leaves_what_is_frozen_alone(project):
    make_checked(project, DIES, responses=("a", "b", "c"))
    frozen = freeze(project, waive="a test").bundle
    run_checks(project=project)
    assert specs.in_quarantine(project, [code_sha256(DIES)])

    again = freeze(project, waive="a test")

    assert again.bundle == frozen
    assert not again.is_new
    make_checked(project, HAS_A)
    with pytest.raises(Conflict, match="1 generated checker is in quarantine"):
        freeze(project)
    assert CheckerRecord.objects.get(code_sha256=code_sha256(DIES)).errors == 3
