"""Files that come in over HTTP, received piece by piece, up to the one limit of imports.

The API takes a file as the body of a request, a page as a part of a form.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest
from django.utils.translation import gettext as _

from apps.activity.errors import BadInput, Blocked

PIECE_BYTES = 1024**2
FORMS = ("multipart/form-data",)
# What a form holds beside its file.
FORM_BYTES = 64 * 1024


@contextmanager
def received(request: HttpRequest) -> Iterator[Path]:
    """The body, in a file that is gone afterwards. Raises BadInput for a form or too much."""
    if request.content_type in FORMS:
        raise BadInput(_("Send the file itself as the body of the request, not as a form."))
    with tempfile.NamedTemporaryFile(prefix="rubricstudio-upload-") as file:
        size = 0
        while piece := request.read(PIECE_BYTES):
            size += len(piece)
            check_size(size)
            file.write(piece)
        file.flush()
        yield Path(file.name)


class ImportUploadHandler(FileUploadHandler):
    """Writes the file of a form into the folder of uploads; what is not kept is gone afterwards.

    Put it on a request before its form is read. Raises BadInput for too much, and Blocked where
    the disk takes no more.
    """

    chunk_size = PIECE_BYTES
    file: IO[bytes]

    def handle_raw_input(
        self, input_data: Any, META: Any, content_length: int, *_rest: Any, **_named: Any
    ) -> None:
        """Refuse before anything is read, where the browser says how much it is."""
        check_size(content_length - FORM_BYTES)

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.size = 0
        try:
            settings.UPLOADS_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.file = tempfile.NamedTemporaryFile(  # noqa: SIM115 - lives as long as the request
                dir=settings.UPLOADS_DIR, suffix=".part"
            )
        except OSError as error:
            raise _disk(error) from None

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.size += len(raw_data)
        try:
            check_size(self.size)
            self.file.write(raw_data)
        except BadInput:
            self.file.close()
            raise
        except OSError as error:
            self.file.close()
            raise _disk(error) from None

    def file_complete(self, file_size: int) -> UploadedFile[bytes]:
        try:
            self.file.flush()
        except OSError as error:
            raise _disk(error) from None
        return UploadedFile(self.file, self.file_name, self.content_type, file_size)

    def upload_interrupted(self) -> None:
        if hasattr(self, "file"):
            self.file.close()


def path_of(file: UploadedFile[bytes]) -> Path:
    """Where a file that the handler received lies until the request is over."""
    return Path(cast(IO[bytes], file.file).name)


def check_size(size: int) -> None:
    if size > settings.IMPORT_MAX_BYTES:
        raise BadInput(
            _("The upload is larger than %(limit)d bytes, the largest import here.")
            % {"limit": settings.IMPORT_MAX_BYTES}
        )


def _disk(error: OSError) -> Blocked:
    return Blocked(
        _("The upload could not be written (%(error)s): make room in the data folder, and repeat.")
        % {"error": error.strerror or error}
    )
