"""A bundle as one file, tar or zip, made while it is sent: at most one chunk is in memory.

Equal bundles give equal archives: the files stand in the order of their paths, under a folder named
after the bundle, with the time at which it was frozen.
"""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Iterator
from typing import Final

from django.utils import timezone
from django.utils.text import slugify

from apps.bundles import selectors
from apps.bundles.models import Bundle, BundleFile

READABLE: Final = 0o644
BLOCK: Final = tarfile.BLOCKSIZE


def folder_name(bundle: Bundle) -> str:
    """What the archive unpacks to, such as ``tides-v3``."""
    return f"{slugify(bundle.name) or 'bundle'}-v{bundle.version}"


def tar_size(bundle: Bundle) -> int:
    """The length of the tar in bytes, known before it is made."""
    files = sum(BLOCK + _padded(file.size) for file in bundle.files.all())
    return -(-(files + 2 * BLOCK) // tarfile.RECORDSIZE) * tarfile.RECORDSIZE


def tar_stream(bundle: Bundle) -> Iterator[bytes]:
    """The tar, chunk by chunk."""
    sent = 0
    for file in bundle.files.all():
        yield _tar_head(bundle, file)
        yield from selectors.read_bytes(file)
        yield b"\0" * (_padded(file.size) - file.size)
        sent += BLOCK + _padded(file.size)
    yield b"\0" * (tar_size(bundle) - sent)


def _tar_head(bundle: Bundle, file: BundleFile) -> bytes:
    head = tarfile.TarInfo(f"{folder_name(bundle)}/{file.path}")
    head.size, head.mode = file.size, READABLE
    head.mtime = int(bundle.created_at.timestamp())
    return head.tobuf(format=tarfile.GNU_FORMAT)


def _padded(size: int) -> int:
    return -(-size // BLOCK) * BLOCK


class _Outlet(io.RawIOBase):
    """A file that cannot be sought, whose bytes are taken away as they come."""

    def __init__(self) -> None:
        self._held = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        held = bytes(memoryview(data))  # type: ignore[arg-type]  # any buffer, as files take it
        self._held += held
        return len(held)

    def take(self) -> bytes:
        taken = bytes(self._held)
        self._held.clear()
        return taken


def zip_stream(bundle: Bundle) -> Iterator[bytes]:
    """The zip, compressed chunk by chunk."""
    outlet = _Outlet()
    with zipfile.ZipFile(outlet, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in bundle.files.all():
            with archive.open(_zip_head(bundle, file), "w", force_zip64=True) as member:
                for data in selectors.read_bytes(file):
                    member.write(data)
                    yield outlet.take()
            yield outlet.take()
    yield outlet.take()


def _zip_head(bundle: Bundle, file: BundleFile) -> zipfile.ZipInfo:
    frozen = timezone.localtime(bundle.created_at, timezone.get_fixed_timezone(0))
    head = zipfile.ZipInfo(
        f"{folder_name(bundle)}/{file.path}",
        (frozen.year, frozen.month, frozen.day, frozen.hour, frozen.minute, frozen.second),
    )
    head.compress_type, head.external_attr = zipfile.ZIP_DEFLATED, READABLE << 16
    return head
