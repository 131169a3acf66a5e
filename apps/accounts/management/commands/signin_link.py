from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from apps.accounts import links, selectors, services
from apps.activity.management.base import FlowCommand, Outcome


class Command(FlowCommand):
    help = "Print a link that signs a person in, once, within a day."
    result_on_error = {"url": None, "user": None}

    def add_arguments(self, parser: CommandParser) -> None:
        who = parser.add_mutually_exclusive_group()
        who.add_argument("--user", metavar="NAME", help="for this person")
        who.add_argument(
            "--first-admin",
            action="store_true",
            help="for the first administrator, who is created if there is none (the default)",
        )

    def run(self, **options: Any) -> Outcome:
        if options["user"]:
            user = selectors.get_user(options["user"])
            created = services.create_sign_in_link(user=user)
        else:
            created = services.create_first_admin_link()
        url = links.sign_in_url(created.token)
        return Outcome({"url": url, "user": created.link.user.username})
