from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.accounts import selectors, services
from apps.accounts.models import Scope
from apps.activity.management.base import FlowCommand, Outcome


class Command(FlowCommand):
    help = "Create an API token of a project; it is printed now and never again."
    result_on_error = {"token": None, "scopes": []}

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_project_argument(parser)
        parser.add_argument(
            "--scope",
            required=True,
            action="extend",
            nargs="+",
            metavar="SCOPE",
            help=f"what it may do, one or more of: {', '.join(Scope.values)}",
        )
        parser.add_argument("--name", default="command line", help="what it is for")
        parser.add_argument("--days", type=int, metavar="N", help="expires after N days")

    def run(self, **options: Any) -> Outcome:
        days = options["days"]
        created = services.create_token(
            project=selectors.get_project(options["project"]),
            name=options["name"],
            scopes=[scope for text in options["scope"] for scope in text.split(",")],
            expires_at=None if days is None else timezone.now() + timedelta(days=days),
        )
        token = created.token
        return Outcome(
            {
                "token": created.plaintext,
                "project": token.project.slug,
                "scopes": token.scopes,
                "expires_at": token.expires_at and token.expires_at.isoformat(),
            }
        )
