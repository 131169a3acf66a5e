"""Freezing: content-addressed, versioned, and never changed again."""

import json

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from apps.activity.errors import BadInput, Conflict
from apps.activity.models import AuditEvent
from apps.bundles import selectors, services
from apps.bundles.models import Bundle, BundleChunk, BundleFile
from apps.rewards.services import save_config
from apps.specs.models import Spec
from apps.specs.services import approve_all
from rubricstudio.core.bundle import BundleConfig, BundleHeader, build_bundle
from rubricstudio.core.errors import BundleError
from rubricstudio.core.parsing import PARSER, THINKING
from rubricstudio.llm.conversation import RULE
from tests import factories
from tests.apps.rewards.world import criteria, save_spec, words_at_most

pytestmark = pytest.mark.django_db


def text_of(bundle, path):
    return b"".join(selectors.read_bytes(bundle.files.get(path=path)))


def lines_of(bundle, path):
    return [json.loads(line) for line in text_of(bundle, path).splitlines()]


def revise(prompt, reviewer):
    """Another version of the spec, approved."""
    save_spec(prompt, criteria({"cause": 1}))
    approve_all(prompt.project, actor=reviewer)


class TestContent:
    def test_it_holds_the_newest_spec_of_each_prompt_in_the_order_of_their_ids(
        self, ready, freeze, prompt, reviewer
    ):
        revise(prompt, reviewer)

        bundle = freeze(ready).bundle

        specs = lines_of(bundle, "specs.jsonl")
        assert [(one["prompt_id"], one["version"]) for one in specs] == [
            ("greeting", 1),
            ("tides", 2),
        ]

    def test_ids_are_ordered_by_code_point_whatever_the_language_of_the_database(
        self, project, freeze
    ):
        for key in ("é", "b", "Z", "潮", "a-", "aa"):
            prompt = factories.make_prompt(project, f"Say {key}.", key=key)
            save_spec(prompt, criteria({"a": 1}))

        bundle = freeze(project, waive="for a test").bundle

        ids = [row["prompt_id"] for row in lines_of(bundle, "prompts.jsonl")]
        assert ids == ["Z", "a-", "aa", "b", "é", "潮"]

    def test_it_is_what_the_core_builds_of_the_same_specs(self, ready, freeze):
        bundle = freeze(ready).bundle

        recipe = services.recipe_of(ready, bundle.config)
        built = build_bundle(
            [spec.as_value() for spec in Spec.objects.all()],
            header=BundleHeader("any", 1, "any"),
            config=BundleConfig(recipe.config.aggregator, recipe.judge),
            templates=recipe.templates,
        )
        assert bundle.bundle_id == built.bundle_id

    def test_the_manifest_says_where_everything_comes_from(self, ready, freeze, source):
        manifest = freeze(ready, name="first").bundle.manifest

        assert manifest["licence"] == "CC-BY-4.0"
        assert manifest["sources"] == [
            {
                "file": source.filename,
                "sha256": source.sha256,
                "licence": "CC-BY-4.0",
                "url": "https://example.org/tides",
                "allowed_use": "",
                "prompts": 2,
            }
        ]
        assert (manifest["name"], manifest["version"], manifest["parent"]) == ("first", 1, None)
        assert manifest["waivers"] == []

    def test_the_manifest_names_the_judge_its_templates_and_the_rules(self, ready, freeze):
        bundle = freeze(ready).bundle

        manifest = bundle.manifest
        judge = manifest["judge"]
        templates = {
            entry["path"]: entry["sha256"]
            for entry in manifest["files"]
            if entry["path"].startswith("templates/")
        }
        assert judge["judge"]["model"] == "a-real-judge"
        assert (judge["messages"], judge["thinking"], judge["parser"]) == (RULE, THINKING, PARSER)
        assert templates == {
            "templates/global.txt": judge["global"]["template_sha256"],
            "templates/judge.txt": judge["judge"]["template_sha256"],
        }
        assert manifest["aggregation"] == bundle.config.settings
        assert manifest["checkers"].startswith("studio/1")

    def test_a_prompt_whose_newest_spec_cannot_score_is_left_out(
        self, ready, freeze, prompt, reviewer
    ):
        save_spec(prompt, (), ())

        bundle = freeze(ready).bundle

        assert [row["prompt_id"] for row in lines_of(bundle, "prompts.jsonl")] == ["greeting"]
        assert list(selectors.left_out(ready)) == [prompt]

    def test_nothing_to_freeze_is_no_bundle(self, project, freeze):
        factories.make_prompt(project)

        with pytest.raises(BundleError, match="at least one spec"):
            freeze(project)


class TestIdentity:
    def test_freezing_again_finds_the_bundle_that_is_there(self, ready, freeze):
        first = freeze(ready)

        second = freeze(ready, name="another name", waive="for no reason")

        assert (first.is_new, second.is_new) == (True, False)
        assert second.bundle == first.bundle
        assert second.bundle.manifest == first.bundle.manifest

    def test_another_project_with_the_same_content_has_the_same_id(self, ready, freeze):
        other = factories.make_project("copy")
        for prompt in ready.prompts.order_by("-number"):
            copy = factories.make_prompt(
                other, prompt.current.messages[0]["content"], key=prompt.key
            )
            spec = prompt.current.specs.get().as_value()
            save_spec(copy, spec.criteria, spec.constraints)

        assert freeze(other, waive="for a test").bundle.bundle_id == freeze(ready).bundle.bundle_id

    def test_a_change_is_a_new_version_that_names_its_parent(self, ready, freeze, prompt, reviewer):
        first = freeze(ready).bundle
        revise(prompt, reviewer)

        second = freeze(ready).bundle

        assert (second.name, second.version, second.parent) == ("tides", 2, first)
        assert second.manifest["parent"] == first.bundle_id != second.bundle_id

    def test_another_configuration_is_another_bundle(self, ready, freeze):
        settings = {"aggregator": "hybrid", "components": "R+G"}
        config = save_config(project=ready, name="no code", settings=settings)

        assert freeze(ready, config=config).bundle.bundle_id != freeze(ready).bundle.bundle_id

    def test_a_configuration_that_leaves_a_spec_without_reward_is_refused(self, ready, freeze):
        alpha = {"kind": "constant", "value": 0}
        settings = {"aggregator": "hybrid", "components": "G", "alpha": alpha}
        config = save_config(project=ready, name="nothing", settings=settings)

        with pytest.raises(BundleError, match="prompt 'greeting': only the global score counts"):
            freeze(ready, config=config)


class TestWhatIsKept:
    def test_approved_specs_become_frozen(self, ready, freeze):
        freeze(ready)

        assert set(Spec.objects.values_list("state", flat=True)) == {"frozen"}

    def test_files_are_cut_into_chunks_and_read_back_whole(self, ready, freeze, monkeypatch):
        monkeypatch.setattr(BundleChunk, "SIZE", 100)

        bundle = freeze(ready).bundle

        file = bundle.files.get(path="specs.jsonl")
        data = text_of(bundle, "specs.jsonl")
        assert (len(data), file.chunks.count()) == (file.size, -(-file.size // 100))
        assert data.decode().splitlines() == [
            row.line for row in selectors.spec_rows(selectors.specs_to_freeze(ready))
        ]

    def test_the_trail_says_who_froze_it(self, ready, freeze, reviewer):
        bundle = freeze(ready, actor=reviewer).bundle

        event = AuditEvent.objects.get(verb="bundle.frozen")
        assert (event.actor, event.detail["bundle_id"]) == (reviewer, bundle.bundle_id)

    @pytest.mark.parametrize(
        ("statement", "refusal"),
        [
            ("UPDATE bundles_bundle SET bundle_id = 'x'", "never change"),
            ("UPDATE bundles_bundle SET manifest = '{}'", "never change"),
            ("UPDATE bundles_bundlefile SET sha256 = 'x'", "never change"),
            ("UPDATE bundles_bundlechunk SET data = ''", "never change"),
            ("UPDATE bundles_bundlespec SET position = position + 9", "never change"),
            ("DELETE FROM bundles_bundlechunk", "are kept"),
            ("DELETE FROM bundles_bundlespec", "are kept"),
        ],
    )
    def test_the_database_refuses_every_change(self, ready, freeze, statement, refusal):
        freeze(ready)

        with (
            pytest.raises(DatabaseError, match=refusal),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)

    def test_the_number_of_queries_does_not_grow_with_the_specs(
        self, ready, freeze, project, source, reviewer
    ):
        few = queries_of(lambda: freeze(ready))
        for number in range(20):
            prompt = factories.make_prompt(project, f"Say {number}.", source=source)
            save_spec(prompt, criteria(), words_at_most(9))
        approve_all(project, actor=reviewer)

        many = queries_of(lambda: freeze(ready))

        # One more: the newest version of the name is its parent.
        assert many <= few + 1


def queries_of(act):
    with CaptureQueriesContext(connection) as captured:
        act()
    return len(captured)


class TestRetracting:
    def test_a_retracted_bundle_keeps_its_content_and_says_why(self, ready, freeze, reviewer):
        bundle = freeze(ready).bundle

        services.retract_bundle(bundle=bundle, reason="The rubric was wrong.", actor=reviewer)

        bundle.refresh_from_db()
        assert bundle.retracted_reason == "The rubric was wrong."
        assert text_of(bundle, "specs.jsonl")

    def test_its_content_is_not_frozen_again(self, ready, freeze):
        services.retract_bundle(bundle=freeze(ready).bundle, reason="The rubric was wrong.")

        with pytest.raises(Conflict, match="tides v1 and retracted: The rubric was wrong"):
            freeze(ready)

    def test_it_needs_a_reason_and_happens_once(self, ready, freeze):
        bundle = freeze(ready).bundle

        with pytest.raises(BadInput, match="Say why"):
            services.retract_bundle(bundle=bundle, reason=" ")
        services.retract_bundle(bundle=bundle, reason="First.")
        with pytest.raises(Conflict, match="retracted already: First"):
            services.retract_bundle(bundle=bundle, reason="Second.")


@pytest.mark.parametrize("name", [" ", "x" * 101])
def test_a_name_that_cannot_be_given_is_refused(ready, freeze, name):
    with pytest.raises(BadInput, match="a name of 1 to 100 characters"):
        freeze(ready, name=name)


def test_a_disk_that_cannot_be_written_is_a_sentence_and_nothing_is_frozen(
    ready, freeze, monkeypatch
):
    def full(*_arguments, **_values):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("apps.bundles.services.freezing.write_content", full)

    with pytest.raises(BadInput, match="No space left on device"):
        freeze(ready)

    assert not Bundle.objects.exists()
    assert not BundleFile.objects.exists()
