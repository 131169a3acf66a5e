"""Who computes rewards is told when the checkers have not seen what there is now."""

import pytest

from apps.accounts.models import Role
from apps.judging.selectors import inputs_sha256
from tests import factories
from tests.apps.rewards.world import WEIGHTS, checked, criteria, save_spec, words_at_most

pytestmark = pytest.mark.django_db
TOLD = "Run the checks first"


@pytest.fixture
def page(client, project):
    """Reads the page where rewards are computed."""
    client.force_login(factories.make_member(project, Role.AUTHOR))
    return lambda: client.get(f"/p/{project.slug}/rewards/compute/").content.decode()


def test_checks_that_were_not_run_are_said_before_computing(page, project, prompt):
    save_spec(prompt, criteria(WEIGHTS), words_at_most(5))
    factories.make_rollout(prompt)
    assert TOLD in page()

    checked(project, inputs_sha256=inputs_sha256(project))
    assert TOLD not in page()

    factories.make_rollout(prompt)
    assert TOLD in page()


def test_without_checkers_no_check_is_missed(page, project, prompt):
    save_spec(prompt, criteria(WEIGHTS))
    factories.make_rollout(prompt)

    assert TOLD not in page()
