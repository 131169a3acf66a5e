"""A file of a bundle as a reply: strong ETag, 304, one range, HEAD, streamed chunk by chunk."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    StreamingHttpResponse,
)
from django.utils.http import parse_etags

from apps.bundles import selectors
from apps.bundles.api.ranges import ByteRange, Unsatisfiable, parse_range
from apps.bundles.models import BundleFile

CONTENT_TYPES: Final = {
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".parquet": "application/vnd.apache.parquet",
}
PLAIN: Final = "text/plain; charset=utf-8"


def file_reply(request: HttpRequest, file: BundleFile) -> HttpResponseBase:
    """The file, the range of it that was asked for, or that the reader has it already."""
    etag = f'"{file.sha256}"'
    if _has_it(request.headers.get("If-None-Match", ""), etag):
        return _with_validators(HttpResponse(status=304), etag)
    try:
        wanted = _range_of(request, etag, file.size)
    except Unsatisfiable as refusal:
        reply = JsonResponse({"error": refusal.message}, status=refusal.status)
        reply.headers["Content-Range"] = f"bytes */{file.size}"
        return reply
    return _with_validators(_body(request, file, wanted), etag)


def _has_it(header: str, etag: str) -> bool:
    """If-None-Match compares weakly: ``W/"x"`` names what ``"x"`` names."""
    known = [one.removeprefix("W/") for one in parse_etags(header)]
    return etag in known or known == ["*"]


def _range_of(request: HttpRequest, etag: str, size: int) -> ByteRange | None:
    """A range counts for GET alone, and under If-Range only while the file is the same."""
    condition = request.headers.get("If-Range", etag)
    if request.method != "GET" or condition.strip() != etag:
        return None
    return parse_range(request.headers.get("Range", ""), size)


def _body(request: HttpRequest, file: BundleFile, wanted: ByteRange | None) -> HttpResponseBase:
    stretch = wanted or ByteRange(0, file.size - 1)
    content_type = CONTENT_TYPES.get(PurePosixPath(file.path).suffix, PLAIN)
    reply: HttpResponseBase
    if request.method == "HEAD":
        reply = HttpResponse(content_type=content_type)
    else:
        data = selectors.read_bytes(file, first=stretch.first, last=stretch.last)
        reply = StreamingHttpResponse(data, content_type=content_type)
    reply.headers["Content-Length"] = str(stretch.length)
    name = PurePosixPath(file.path).name
    reply.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    if wanted is not None:
        reply.status_code = 206
        reply.headers["Content-Range"] = f"bytes {wanted.first}-{wanted.last}/{file.size}"
    return reply


def _with_validators(reply: HttpResponseBase, etag: str) -> HttpResponseBase:
    reply.headers["ETag"] = etag
    reply.headers["Accept-Ranges"] = "bytes"
    # A token may be revoked, so a copy is asked about each time and then mostly answered by 304.
    reply.headers["Cache-Control"] = "private, no-cache"
    return reply
