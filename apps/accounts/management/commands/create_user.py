from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts import links, selectors, services
from apps.accounts.models import Role, User
from apps.activity.errors import BadInput
from apps.activity.management.base import FlowCommand, Outcome


class Command(FlowCommand):
    help = "Create a person; without a password they come in by the sign-in link that is printed."
    result_on_error = {"user": None, "url": None}

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="NAME")
        parser.add_argument("--display-name", default="", help="the name that others read")
        parser.add_argument("--admin", action="store_true", help="administers the installation")
        parser.add_argument("--project", metavar="SLUG", help="a project to join")
        parser.add_argument(
            "--role",
            action="append",
            choices=Role.values,
            default=[],
            help="a role in the project; may be repeated",
        )
        parser.add_argument(
            "--password-stdin", action="store_true", help="read a password from standard input"
        )

    @transaction.atomic
    def run(self, **options: Any) -> Outcome:
        password = sys.stdin.readline().rstrip("\r\n") if options["password_stdin"] else None
        user = services.create_user(
            username=options["username"],
            display_name=options["display_name"],
            password=password,
            is_site_admin=options["admin"],
        )
        self._join(user, options)
        if password is not None:
            return Outcome({"user": user.username, "url": None})
        link = services.create_sign_in_link(user=user)
        return Outcome({"user": user.username, "url": links.sign_in_url(link.token)})

    def _join(self, user: User, options: dict[str, Any]) -> None:
        slug, roles = options["project"], options["role"]
        if bool(slug) != bool(roles):
            raise BadInput(_("Name --project and --role together."))
        if not slug:
            return
        project = selectors.get_project(slug)
        for role in roles:
            services.grant_role(project=project, user=user, role=role)
