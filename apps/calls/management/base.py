"""What commands that ask a model have in common: the model is there, or a sentence says why not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _

from apps.accounts.models import Project
from apps.activity.errors import Blocked
from apps.activity.management.base import FlowCommand, Outcome
from apps.calls import services
from rubricstudio.llm.client import Backend
from rubricstudio.llm.probe import Probe
from rubricstudio.local.errors import LocalError
from rubricstudio.local.model import borrow_model


class ModelCommand(FlowCommand):
    """A command that asks a model; `work` does it, with the embedded model up where none is named.

    The embedded model is there until `work` returns, and is stopped with the last command that
    uses it.
    """

    def work(self, **options: Any) -> Outcome:
        raise NotImplementedError

    def needs_model(self, **options: Any) -> bool:
        return True

    def run(self, **options: Any) -> Outcome:
        if not self.needs_model(**options):
            return self.work(**options)
        try:
            with borrow_model():
                services.seed_models()
                return self.work(**options)
        except LocalError as error:
            raise Blocked(str(error)) from error

    def check_model(self, project: Project, roles: Iterable[str]) -> None:
        """Find out that the models of these roles answer; raises `Blocked` before anything is done.

        Roles that share a model and how it thinks are asked once.
        """
        asked = set()
        for role in roles:
            client = services.client_for(project, role)
            thinks = client.settings.thinking.switch(None)
            if (key := (client.endpoint.pk, client.role.model, thinks)) not in asked:
                asked.add(key)
                self.say(
                    _("Asking %(model)s at %(url)s …")
                    % {"model": client.role.model, "url": client.endpoint.url}
                )
                self._say_unknown(client, services.probe_endpoint(client, project=project))

    def _say_unknown(self, client: services.RoleClient, found: Probe) -> None:
        """What cannot be told of a server is missing from all that says who has judged."""
        if found.chat_template_sha256:
            return
        told = _("The server does not tell its chat template: it stands as unknown in the judge.")
        if client.endpoint.backend == Backend.VLLM:
            told += " " + _("Start vLLM with --enable-tokenizer-info-endpoint to have it told.")
        self.say(told)
