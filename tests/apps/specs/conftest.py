"""Prompts of a project, and specs made by a scripted model."""

import json
from contextlib import asynccontextmanager

import pytest
from django.core.management import call_command

from apps.specs import services
from apps.specs.services import carrying
from apps.specs.services.writers import Desk, Writers
from rubricstudio.core.types import Criterion
from rubricstudio.llm.scripted import ScriptedModel
from tests.factories import make_project
from tests.shared_data import shared_path

TIDES = Criterion(key="c1", text="Names the Moon as the main cause.", weight=5)
CHILD = Criterion(key="c2", text="A child of eight would understand it.", weight=2)


def shared_rows(name):
    # Some texts hold U+2028, which splitlines() takes for the end of a line.
    lines = shared_path(name).read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def import_shared(project, name):
    call_command("import_prompts", str(shared_path(name)), project=project.slug)


class ScriptedDesk:
    """Stands for the configured roles: one scripted model plays all three."""

    at_once = 4
    writes_code = False

    def __init__(self, model):
        self.model = model

    @asynccontextmanager
    async def opened(self):
        yield Writers(self.model, self.model, self.model)

    def keep(self, answers, *, project, job_id):
        return {}


@pytest.fixture
def project(db):
    return make_project()


@pytest.fixture
def script(monkeypatch):
    """A scripted model in all roles; a test changes what it says."""
    model = ScriptedModel(rubric=(TIDES, CHILD), task_label="qa_explanation")
    monkeypatch.setattr(Desk, "of", lambda _project: ScriptedDesk(model))
    monkeypatch.setattr(carrying, "BEAT_SECONDS", 0.05)
    return model


def make(project, **values):
    """Start a job and carry it to its end, in this process."""
    job = services.start_making(project=project, **values)
    services.carry_making(job=job, worker="test")
    job.refresh_from_db()
    return job
