"""A project with one prompt, ready to be given specs, rollouts and verdicts."""

import pytest

from tests import factories


@pytest.fixture
def project():
    return factories.make_project("tides")


@pytest.fixture
def prompt(project):
    return factories.make_prompt(project)


@pytest.fixture
def group(prompt):
    return factories.make_group(prompt)
