"""Freezing: the specs of a project and how they are scored become a bundle that never changes.

The id of a bundle is the hash of its content. So freezing what was frozen before finds that bundle,
and the manifest it was given then; a change is a new version that names its parent.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version as installed_version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import services as accounts
from apps.accounts.models import Project, User
from apps.activity import services as activity
from apps.activity.errors import BadInput, Conflict
from apps.bundles import selectors
from apps.bundles.models import Bundle
from apps.bundles.services.checklist import OpenItem, Subject, open_items
from apps.bundles.services.exporting import writing_to
from apps.bundles.services.recipe import recipe_of
from apps.bundles.services.storing import store_files
from apps.rewards.models import RewardConfig
from apps.specs import services as specs
from apps.specs.models import Spec
from rubricstudio.core.bundle import (
    MANIFEST,
    BundleContent,
    BundleHeader,
    FileEntry,
    SpecLine,
    write_content,
    write_manifest,
)
from rubricstudio.core.canonical import sha256_hex

INSERT_SPECS = """
INSERT INTO bundles_bundlespec (bundle_id, position, spec_id)
SELECT %s, place - 1, spec FROM unnest(%s::bigint[]) WITH ORDINALITY AS specs (spec, place)
"""


@dataclass(frozen=True, slots=True)
class Frozen:
    """A bundle; `is_new` is false where its content was frozen before."""

    bundle: Bundle
    is_new: bool
    approved: int = 0
    waived: tuple[OpenItem, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """The content of a bundle in a folder, and the specs behind it in their order."""

    folder: Path
    content: BundleContent
    spec_pks: Sequence[int]


Reasons = str | Mapping[str, str]
"""Why open items are taken: one reason for all, or each its own by the name of its check."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """Why open items are taken as they are, and who says so."""

    reasons: Reasons
    actor: User | None

    def reason_for(self, item: OpenItem) -> str:
        """Empty where the item is not taken."""
        if isinstance(self.reasons, str):
            return self.reasons
        return self.reasons.get(item.check.name, "")

    def of(self, item: OpenItem) -> dict[str, Any]:
        """As the manifest holds it."""
        return {
            "item": item.check.name,
            "count": item.finding.count,
            "reason": self.reason_for(item),
            "by": self.actor.username if self.actor else None,
        }


@transaction.atomic
def freeze(
    *,
    project: Project,
    config: RewardConfig,
    name: str = "",
    approve_as: User | None = None,
    waive: Reasons | None = None,
    actor: User | None = None,
) -> Frozen:
    """Freeze the newest usable specs of the current prompts under a reward configuration.

    `approve_as` approves those that are not approved yet; `waive` takes open items of the
    checklist: all of them for one reason, or those that are named, each for its own. Without a
    name the bundle has the project's. Raises Conflict for items that are open and not taken and
    for content that was retracted, NotAllowed where that person may not approve,
    BundleError for specs that cannot be frozen.
    """
    name = _checked_name(name or project.slug)
    waiver = _waiver(waive, actor)
    # Freezers of one project take turns, so that versions have no gaps and content no twins.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    approved = specs.approve_all(project, actor=approve_as) if approve_as else 0
    recipe = recipe_of(project, config)
    subject = Subject(project, selectors.specs_to_freeze(project), recipe)
    with TemporaryDirectory() as place, writing_to(place):
        written = _write(subject, Path(place))
        known = _known(project, written.content.bundle_id)
        items = [] if known else open_items(subject)
        if left := [item for item in items if not waiver.reason_for(item)]:
            raise _blocked(left)
        waivers = [waiver.of(item) for item in items]
        bundle = known or _stored(written, subject, config, name, waivers, actor)
    _freeze_specs(bundle)
    return Frozen(bundle, known is None, approved, tuple(items))


def _checked_name(name: str) -> str:
    longest = Bundle._meta.get_field("name").max_length or 0
    if not name.strip() or len(name) > longest:
        raise BadInput(
            _("A bundle needs a name of 1 to %(longest)d characters.") % {"longest": longest}
        )
    return name


def _waiver(reasons: Reasons | None, actor: User | None) -> Waiver:
    if reasons is None:
        return Waiver({}, actor)
    said = {"": reasons} if isinstance(reasons, str) else reasons
    trimmed = {name: reason.strip() for name, reason in said.items()}
    if not all(trimmed.values()):
        raise BadInput(_("Say why the open items are taken: the reason stands in the bundle."))
    return Waiver(trimmed[""] if isinstance(reasons, str) else trimmed, actor)


def _write(subject: Subject, folder: Path) -> Written:
    pks: list[int] = []

    def lines() -> Generator[SpecLine]:
        for row in selectors.spec_rows(subject.specs):
            pks.append(row.pk)
            yield SpecLine(row.spec_id, row.line.encode(), row.split)

    recipe = subject.recipe
    # A spec that is refused must not leave the database's cursor open behind it.
    with closing(lines()) as some:
        content = write_content(
            some,
            folder,
            config=recipe.config,
            templates=recipe.templates,
            code=partial(selectors.code_of, subject.project),
        )
    return Written(folder, content, pks)


def _known(project: Project, bundle_id: str) -> Bundle | None:
    """The bundle that has this content. Raises Conflict where it was retracted."""
    bundle = Bundle.objects.filter(project=project, bundle_id=bundle_id).first()
    if bundle is not None and bundle.retracted_at is not None:
        raise Conflict(
            _("This content was frozen as %(bundle)s and retracted: %(reason)s")
            % {"bundle": bundle, "reason": bundle.retracted_reason}
        )
    return bundle


def _blocked(items: Sequence[OpenItem]) -> Conflict:
    return Conflict(
        _("The freeze checklist has open items. %(items)s Or waive them with a reason.")
        % {"items": " ".join(item.finding.sentence for item in items)},
        items=[
            {"item": item.check.name, "count": item.finding.count, "reason": item.finding.sentence}
            for item in items
        ],
    )


def _stored(
    written: Written,
    subject: Subject,
    config: RewardConfig,
    name: str,
    waivers: Sequence[dict[str, Any]],
    actor: User | None,
) -> Bundle:
    project = subject.project
    parent = Bundle.objects.filter(project=project, name=name).order_by("-version").first()
    header = _header(name, parent, subject.sources, waivers)
    manifest = write_manifest(
        written.content, written.folder, header=header, config=subject.recipe.config
    )
    (number,) = accounts.allocate_numbers(project=project, kind="bundle")
    bundle = Bundle.objects.create(
        project=project,
        number=number,
        bundle_id=written.content.bundle_id,
        name=name,
        version=header.version,
        parent=parent,
        config=config,
        manifest=manifest,
        frozen_by=actor,
    )
    _store_content(bundle, written)
    _record(bundle, waivers, actor)
    return bundle


def _store_content(bundle: Bundle, written: Written) -> None:
    entries = [*written.content.files, _manifest_entry(written.folder)]
    store_files(bundle=bundle, folder=written.folder, entries=entries)
    with connection.cursor() as cursor:
        cursor.execute(INSERT_SPECS, [bundle.pk, list(written.spec_pks)])


def _record(bundle: Bundle, waivers: Sequence[dict[str, Any]], actor: User | None) -> None:
    activity.record(
        verb="bundle.frozen",
        target=bundle,
        project=bundle.project,
        actor=actor,
        reason=waivers[0]["reason"] if waivers else "",
        detail={"bundle_id": bundle.bundle_id, "waivers": list(waivers)},
    )


def _header(
    name: str,
    parent: Bundle | None,
    sources: Sequence[selectors.Source],
    waivers: Sequence[dict[str, Any]],
) -> BundleHeader:
    licences = sorted({source.licence for source in sources if source.licence})
    return BundleHeader(
        name=name,
        version=parent.version + 1 if parent else 1,
        created=timezone.now().isoformat(timespec="seconds"),
        parent=parent.bundle_id if parent else None,
        licence=", ".join(licences),
        sources=[source._asdict() for source in sources],
        waivers=waivers,
        release=installed_version("rubricstudio"),
    )


def _manifest_entry(folder: Path) -> FileEntry:
    data = (folder / MANIFEST).read_bytes()
    return FileEntry(MANIFEST, sha256_hex(data), len(data))


def _freeze_specs(bundle: Bundle) -> None:
    """Approved specs become frozen; one that was waived stays what it is, a draft that was used."""
    approved = Spec.objects.filter(bundle_specs__bundle=bundle, state=Spec.State.CANDIDATE)
    specs.freeze_specs(list(approved.values_list("pk", flat=True)))
