"""What others do with bundles: freeze, export to a folder, retract; and what stands against it."""

from apps.bundles.services.checklist import CHECKS, Check, OpenItem, Subject, open_items
from apps.bundles.services.exporting import check_folder, export_bundle
from apps.bundles.services.freezing import Frozen, freeze
from apps.bundles.services.recipe import Recipe, recipe_of
from apps.bundles.services.retracting import retract_bundle

__all__ = [
    "CHECKS",
    "Check",
    "Frozen",
    "OpenItem",
    "Recipe",
    "Subject",
    "check_folder",
    "export_bundle",
    "freeze",
    "open_items",
    "recipe_of",
    "retract_bundle",
]
