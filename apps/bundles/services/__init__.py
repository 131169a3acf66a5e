"""What others do with bundles: freeze, export to a folder, retract; and what stands against it."""

from apps.bundles.services.archiving import folder_name, tar_size, tar_stream, zip_stream
from apps.bundles.services.background import carry_freezing, start_freezing, takes_long
from apps.bundles.services.checklist import CHECKS, Check, OpenItem, Subject, open_items
from apps.bundles.services.exporting import check_folder, export_bundle
from apps.bundles.services.freezing import Frozen, freeze
from apps.bundles.services.previewing import Preview, preview_freeze
from apps.bundles.services.recipe import Recipe, recipe_of
from apps.bundles.services.retracting import retract_bundle

__all__ = [
    "CHECKS",
    "Check",
    "Frozen",
    "OpenItem",
    "Preview",
    "Recipe",
    "Subject",
    "carry_freezing",
    "check_folder",
    "export_bundle",
    "folder_name",
    "freeze",
    "open_items",
    "preview_freeze",
    "recipe_of",
    "retract_bundle",
    "start_freezing",
    "takes_long",
    "tar_size",
    "tar_stream",
    "zip_stream",
]
