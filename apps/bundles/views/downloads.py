"""A bundle as one file, streamed as it is made."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from django.http import HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.bundles import selectors, services
from apps.bundles.models import Bundle


@access.project(access.READERS)
@require_safe
def as_tar(request: HttpRequest, slug: str, number: int) -> StreamingHttpResponse:
    """All files as a tar, whose length is known beforehand."""
    bundle = _bundle(request, number)
    reply = _reply(request, services.tar_stream(bundle), "application/x-tar")
    reply.headers["Content-Length"] = str(services.tar_size(bundle))
    return _named(reply, f"{services.folder_name(bundle)}.tar")


@access.project(access.READERS)
@require_safe
def as_zip(request: HttpRequest, slug: str, number: int) -> StreamingHttpResponse:
    """All files as a zip."""
    bundle = _bundle(request, number)
    reply = _reply(request, services.zip_stream(bundle), "application/zip")
    return _named(reply, f"{services.folder_name(bundle)}.zip")


def _bundle(request: HttpRequest, number: int) -> Bundle:
    project = cast(ProjectRequest, request).project
    return get_object_or_404(selectors.bundles_of(project), number=number)


def _reply(
    request: HttpRequest, stream: Iterable[bytes], content_type: str
) -> StreamingHttpResponse:
    """The stream; nothing of it is made for who asks only what would come."""
    body = () if request.method == "HEAD" else stream
    return StreamingHttpResponse(body, content_type=content_type)


def _named(reply: StreamingHttpResponse, name: str) -> StreamingHttpResponse:
    reply.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    reply.headers["Cache-Control"] = "private, no-cache"
    return reply
