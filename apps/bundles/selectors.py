"""Reads of bundles, of stretches of their files, and of what is to be frozen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from django.db.models import Count, F, QuerySet
from django.db.models.functions import Collate

from apps.accounts.models import Membership, Project, Role, User
from apps.activity.models import Job
from apps.bundles.models import Bundle, BundleChunk, BundleFile, BundleSpec
from apps.prompts.models import Import, Prompt
from apps.prompts.selectors import terms_of
from apps.specs.models import Checker, Spec
from apps.specs.selectors import newest_specs, usable

SPECS_AT_ONCE = 500
FREEZE_JOB = "freeze"


class SpecRow(NamedTuple):
    """A spec to be frozen, with its canonical line."""

    pk: int
    spec_id: str
    line: str
    split: str


class Source(NamedTuple):
    """A file that prompts came from, what it may be used for, and how many of them."""

    file: str
    sha256: str
    licence: str
    url: str
    allowed_use: str
    prompts: int


def bundles_of(project: Project) -> QuerySet[Bundle]:
    """The bundles of a project for a list, newest first, without manifests."""
    bundles = Bundle.objects.filter(project=project).order_by("-pk")
    bundles = bundles.annotate(specs=Count("bundle_specs"))
    return bundles.select_related("config", "frozen_by", "parent").defer(
        "manifest", "parent__manifest", "config__settings"
    )


def files_of(project: Project, bundle_id: str) -> QuerySet[BundleFile]:
    """The files of one bundle, the manifest among them."""
    return BundleFile.objects.filter(bundle__project=project, bundle__bundle_id=bundle_id)


def read_bytes(file: BundleFile, *, first: int = 0, last: int | None = None) -> Iterator[bytes]:
    """The bytes ``first`` to ``last`` of a file, both included; at most one chunk is in memory."""
    end = file.size if last is None else last + 1
    for position in range(first // BundleChunk.SIZE, -(-end // BundleChunk.SIZE)):
        chunk = BundleChunk.objects.values_list("data", flat=True)
        data = bytes(chunk.get(file_id=file.pk, position=position))
        begins = position * BundleChunk.SIZE
        yield data[max(first - begins, 0) : end - begins]


def specs_to_freeze(project: Project) -> QuerySet[Spec]:
    """The newest spec of each current prompt revision, where it can score."""
    return usable(newest_specs(project))


def generated_checkers(project: Project) -> QuerySet[Checker]:
    """The generated checkers of the specs that would be frozen now."""
    specs = specs_to_freeze(project).order_by().values("pk")
    return Checker.objects.filter(
        origin=Checker.Origin.GENERATED, constraint__spec__in=specs
    ).order_by("pk")


def code_of(project: Project, sha256: str) -> str:
    """The code of a generated checker that would be frozen; raises KeyError where there is none."""
    found = generated_checkers(project).filter(content_sha256=sha256).first()
    if found is None:
        raise KeyError(sha256)
    return found.code


def spec_rows(specs: QuerySet[Spec]) -> Iterator[SpecRow]:
    """Specs with their lines, in the order of the prompt ids, code point by code point.

    Call it inside a transaction: the rows come from a server-side cursor.
    """
    ordered = specs.order_by(Collate(F("prompt_revision__prompt__key"), "C"))
    rows = ordered.values_list("pk", "spec_id", "line", "prompt_revision__prompt__split")
    return (SpecRow(*row) for row in rows.iterator(chunk_size=SPECS_AT_ONCE))


def left_out(project: Project) -> QuerySet[Prompt]:
    """The prompts that have no spec to freeze: none at all, or one that cannot score."""
    frozen = specs_to_freeze(project).values("prompt_revision")
    prompts = Prompt.objects.filter(project=project, archived_at__isnull=True)
    return prompts.exclude(current__in=frozen).order_by("number")


def sources_of(specs: QuerySet[Spec]) -> list[Source]:
    """The files that the prompts of some specs came from, by name."""
    imports = Import.objects.filter(revisions__specs__in=specs.order_by())
    found = imports.order_by("filename", "sha256", "pk").annotate(
        prompts=Count("revisions", distinct=True)
    )
    terms = terms_of(found)
    return [Source(one.filename, one.sha256, *terms[one.pk], one.prompts) for one in found]


class Since(NamedTuple):
    """What freezing now would change against a bundle.

    Specs with another newest version, specs of prompts that it lacks, and its specs that would not
    be frozen again.
    """

    changed: int
    new: int
    retired: int


def changed_since(project: Project, bundle: Bundle) -> Since:
    """Compares every prompt, so a page asks for it apart from the rest."""
    frozen = BundleSpec.objects.filter(bundle=bundle)
    now = specs_to_freeze(project).order_by()
    of_bundle = now.filter(prompt_revision__prompt__in=_prompts_in(bundle))
    kept = of_bundle.filter(pk__in=frozen.values("spec")).count()
    there = of_bundle.count()
    return Since(changed=there - kept, new=now.count() - there, retired=frozen.count() - there)


def specs_since(project: Project, bundle: Bundle, part: str) -> QuerySet[Spec]:
    """The specs that a number of `Since` counts, for a list; `part` is its name."""
    now, frozen = specs_to_freeze(project), bundle.bundle_specs.values("spec")
    in_bundle = _prompts_in(bundle)
    of_bundle = now.filter(prompt_revision__prompt__in=in_bundle)
    if part == "retired":
        there = of_bundle.order_by().values("prompt_revision__prompt")
        specs = Spec.objects.filter(pk__in=frozen).exclude(prompt_revision__prompt__in=there)
    elif part == "changed":
        specs = of_bundle.exclude(pk__in=frozen)
    else:
        specs = now.exclude(prompt_revision__prompt__in=in_bundle)
    return specs.select_related("prompt_revision__prompt").only(
        "version", "state", "created_at", "prompt_revision__excerpt", BY_PROMPT
    )


BY_PROMPT = "prompt_revision__prompt__number"


def _prompts_in(bundle: Bundle) -> QuerySet[Prompt]:
    of_specs = bundle.bundle_specs.values("spec__prompt_revision__prompt")
    return Prompt.objects.filter(pk__in=of_specs, project=bundle.project_id)


def newest_version(project: Project, name: str) -> Bundle | None:
    """The newest bundle of a name: what the next version of it names as its parent."""
    bundles = Bundle.objects.filter(project=project, name=name).defer("manifest")
    return bundles.order_by("-version").first()


def bundle_pages(project: Project) -> QuerySet[Bundle]:
    """The bundles of a project, each with all that its page shows."""
    bundles = Bundle.objects.filter(project=project).annotate(specs=Count("bundle_specs"))
    return bundles.select_related("config", "frozen_by", "parent").defer("parent__manifest")


def freeze_jobs(project: Project) -> QuerySet[Job]:
    """Jobs that freeze, or wait to."""
    return Job.objects.filter(project=project, kind=FREEZE_JOB).exclude(state__in=Job.FINAL)


def reviewers_of(project: Project) -> QuerySet[User]:
    """Who may approve specs, by name."""
    members = Membership.objects.filter(project=project, role__in=[Role.REVIEWER, Role.ADMIN])
    return User.objects.filter(pk__in=members.values("user")).order_by("username")
