"""Frozen bundles: specs and a reward configuration, content-addressed and immutable."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class Bundle(models.Model):
    """A frozen bundle. Its contents never change, by trigger; it can only be retracted."""

    project = models.ForeignKey(
        "accounts.Project", on_delete=models.PROTECT, related_name="bundles"
    )
    number = models.PositiveIntegerField()
    # sha256 over the list of the content files (trainers.md)
    bundle_id = models.CharField(max_length=64)
    name = models.CharField(max_length=100)
    version = models.PositiveIntegerField()
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="children")
    config = models.ForeignKey(
        "rewards.RewardConfig", on_delete=models.PROTECT, related_name="bundles"
    )
    manifest = models.JSONField()
    frozen_by = models.ForeignKey(
        "accounts.User", on_delete=models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    retracted_at = models.DateTimeField(null=True)
    retracted_reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "bundle_id"], name="bundles_content_once"),
            models.UniqueConstraint(fields=["project", "number"], name="bundles_number"),
            models.UniqueConstraint(fields=["project", "name", "version"], name="bundles_version"),
            models.CheckConstraint(
                condition=Q(retracted_at__isnull=True, retracted_reason="")
                | (Q(retracted_at__isnull=False) & ~Q(retracted_reason="")),
                name="bundles_retracted_with_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"


class BundleSpec(models.Model):
    """A spec that a bundle froze, at its place in specs.jsonl."""

    bundle = models.ForeignKey(Bundle, on_delete=models.PROTECT, related_name="bundle_specs")
    position = models.PositiveIntegerField()
    spec = models.ForeignKey("specs.Spec", on_delete=models.PROTECT, related_name="bundle_specs")

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["bundle", "position"], name="bundles_spec_order"),
            models.UniqueConstraint(fields=["bundle", "spec"], name="bundles_spec_once"),
        ]

    def __str__(self) -> str:
        return f"{self.position}"


class BundleFile(models.Model):
    """A file of a bundle; its bytes lie in chunks, so that a range can be streamed."""

    bundle = models.ForeignKey(Bundle, on_delete=models.PROTECT, related_name="files")
    path = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    rows = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ["path"]
        constraints = [models.UniqueConstraint(fields=["bundle", "path"], name="bundles_file_path")]

    def __str__(self) -> str:
        return self.path


class BundleChunk(models.Model):
    """One mebibyte of a bundle's file (the last one may be shorter)."""

    SIZE = 1024 * 1024

    file = models.ForeignKey(BundleFile, on_delete=models.PROTECT, related_name="chunks")
    position = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["file", "position"], name="bundles_chunk_order")
        ]

    def __str__(self) -> str:
        return f"chunk {self.position} of {self.file_id}"
