"""Which prompt a rollout answers: by an id that names it, else by its last user turn."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from apps.accounts.models import Project
from apps.prompts import selectors as prompts
from apps.prompts.reading import RowError
from apps.prompts.selectors import Match
from apps.rollouts.services.prepared import PreparedRollout


class Matcher:
    """Finds the prompts of one batch; two queries, whatever the project holds."""

    def __init__(self, project: Project, batch: Sequence[PreparedRollout]) -> None:
        keys = {key for one in batch for key in one.value.whose[:2] if key}
        texts = {text for one in batch for text in one.texts}
        self._by_key = prompts.matches_by_key(project, keys) if keys else {}
        self._by_text = prompts.matches_by_text(project, texts) if texts else {}

    def match(self, rollout: PreparedRollout) -> Match:
        """The prompt's current revision. Raises RowError where none, or more than one, fits.

        A plain id may as well number the rollouts, so it must not contradict the text.
        """
        whose = rollout.value.whose
        named = self._by_key.get(whose.key or "")
        if named is not None:
            return named
        maybe = self._by_key.get(whose.maybe_key or "")
        if maybe is not None and (not rollout.texts or maybe.text_sha256 in rollout.texts):
            return maybe
        return self._by_its_text(rollout)

    def _by_its_text(self, rollout: PreparedRollout) -> Match:
        for text in rollout.texts:
            found = self._by_text.get(text, [])
            if len(found) == 1:
                return found[0]
            if found:
                keys = ", ".join(sorted(match.key for match in found)[:5])
                raise RowError(
                    _("%(count)d prompts have this text (%(keys)s): name one by prompt_id.")
                    % {"count": len(found), "keys": keys}
                )
        raise RowError(self._why_none(rollout))

    def _why_none(self, rollout: PreparedRollout) -> str:
        key = rollout.value.whose.key or rollout.value.whose.maybe_key
        if key and rollout.texts:
            return _("no prompt of this project has the id %(key)r and this text.") % {
                "key": key[:80]
            }
        if key:
            return _("no prompt of this project has the id %(key)r.") % {"key": key[:80]}
        if rollout.texts:
            return _("no prompt of this project has this text.")
        return _("no column tells which prompt this answers: add prompt_id or prompt.")
