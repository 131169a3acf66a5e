"""Taking a bundle back: it stays readable, and whoever lists bundles sees why not to use it."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.activity import services as activity
from apps.activity.errors import BadInput, Conflict
from apps.bundles.models import Bundle


@transaction.atomic
def retract_bundle(*, bundle: Bundle, reason: str, actor: User | None = None) -> Bundle:
    """Mark a bundle as not to be used, for good. Raises BadInput without a reason, or Conflict."""
    if not reason.strip():
        raise BadInput(_("Say why the bundle is retracted: whoever trains with it reads that."))
    locked = Bundle.objects.select_for_update().get(pk=bundle.pk)
    if locked.retracted_at is not None:
        raise Conflict(
            _("The bundle %(bundle)s is retracted already: %(reason)s")
            % {"bundle": locked, "reason": locked.retracted_reason}
        )
    locked.retracted_at, locked.retracted_reason = timezone.now(), reason.strip()
    locked.save(update_fields=["retracted_at", "retracted_reason"])
    activity.record(
        verb="bundle.retracted",
        target=locked,
        project=locked.project,
        actor=actor,
        reason=locked.retracted_reason,
    )
    return locked
