"""A tiny bundle, to the byte: what is written once has to be readable for ever.

If this fails, freezing unchanged specs gives another id than the bundles that trainers hold. Only
a new format may do that.
"""

import json
from pathlib import Path

import pytest

from apps.bundles import selectors
from apps.prompts.models import Import
from apps.specs.services import approve_all
from rubricstudio.core.bundle import building
from rubricstudio.core.types import Constraint, Criterion, Polarity, Scale
from tests import factories
from tests.apps.rewards.world import save_spec

pytestmark = pytest.mark.django_db

GOLDEN = Path(__file__).parent / "golden"
CONTENT = ("config.json", "prompts.jsonl", "specs.jsonl")
BY_TIME = ("created", "release", "manifest_sha256")
"""What a manifest says of the moment and the software it was frozen with."""


@pytest.fixture
def bundle(project, reviewer, freeze, monkeypatch):
    # A new revision of the checkers changes the id and is no new format.
    monkeypatch.setattr(building, "REGISTRY_VERSION", "studio/1.1")
    source = Import.objects.create(
        project=project,
        number=1,
        kind=Import.Kind.PROMPTS,
        filename="tides.jsonl",
        sha256="0" * 64,
        size=1,
        licence="CC-BY-4.0",
        url="https://example.org/tides",
    )
    rubric = (
        Criterion("cause", "Names the Moon.", 3, anchors={"yes": "By name."}, tags=("science",)),
        Criterion("rude", "Is rude.", 2, polarity=Polarity.NEGATIVE, scale=Scale.BINARY),
    )
    limit = Constraint("word_count", {"op": "le", "value": 100}, evidence="in 100 words")
    asked = "Explain “tides” in 100 words.\u2028用中文。"
    save_spec(factories.make_prompt(project, asked, key="p1", source=source), rubric, (limit,))
    greeting = factories.make_prompt(project, "Say hi.", key="p2", source=source)
    save_spec(greeting, (), (Constraint("begin_with", {"text": "Hi"}),))
    approve_all(project, actor=reviewer)
    return freeze(project, name="golden", waive="It has no judge.", actor=reviewer).bundle


def file_of(bundle, path):
    return b"".join(selectors.read_bytes(bundle.files.get(path=path)))


@pytest.mark.parametrize("path", CONTENT)
def test_content_is_the_same_to_the_byte(bundle, path):
    assert file_of(bundle, path) == (GOLDEN / path).read_bytes()


def test_the_manifest_is_the_same_but_for_its_moment(bundle):
    manifest = json.loads(file_of(bundle, "manifest.json"))
    lasting = {key: value for key, value in manifest.items() if key not in BY_TIME}

    assert lasting == json.loads((GOLDEN / "manifest.json").read_bytes())
    assert set(BY_TIME) <= manifest.keys()
