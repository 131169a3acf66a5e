"""A request's body as a file on disk: received piece by piece, up to the one limit of imports."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _

from apps.activity.errors import BadInput

PIECE_BYTES = 1024**2
FORMS = ("multipart/form-data",)


@contextmanager
def received(request: HttpRequest) -> Iterator[Path]:
    """The body, in a file that is gone afterwards. Raises BadInput for a form or too much."""
    if request.content_type in FORMS:
        raise BadInput(_("Send the file itself as the body of the request, not as a form."))
    with tempfile.NamedTemporaryFile(prefix="rubricstudio-upload-") as file:
        size = 0
        while piece := request.read(PIECE_BYTES):
            size += len(piece)
            if size > settings.IMPORT_MAX_BYTES:
                raise BadInput(
                    _("The upload is larger than %(limit)d bytes, the largest import here.")
                    % {"limit": settings.IMPORT_MAX_BYTES}
                )
            file.write(piece)
        file.flush()
        yield Path(file.name)
