"""Pages of bundles: the list, freezing by a checklist, one bundle, downloads, taking back."""

from apps.bundles.views.bundles import changes, list_bundles, retract, show_bundle, since
from apps.bundles.views.downloads import as_tar, as_zip
from apps.bundles.views.freezing import approve, freeze

__all__ = [
    "approve",
    "as_tar",
    "as_zip",
    "changes",
    "freeze",
    "list_bundles",
    "retract",
    "show_bundle",
    "since",
]
