"""From a file to an import, page by page; each kind of import has these pages under its own app."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_protect

from apps.accounts.access import ProjectRequest
from apps.activity.errors import ApplicationError, BadInput
from apps.activity.models import Job
from apps.activity.selectors import a_worker_beats
from apps.activity.tasks import enqueue_job
from apps.prompts import selectors, services
from apps.prompts.forms import ENCODINGS, UploadForm
from apps.prompts.models import Upload
from apps.prompts.services import Importer
from apps.prompts.uploads import ImportUploadHandler, path_of

QUEUES = {True: "default", False: "generation"}
"""Which queue carries the small files, and which the others."""


@dataclass(frozen=True)
class ImportPages:
    """The pages of one kind of import; `app` is the namespace of their addresses.

    An app routes import, upload, check, commit and upload_state to views that call these.
    """

    importer: Importer
    app: str
    form: type[UploadForm] = UploadForm

    def address(self, name: str, upload: Upload) -> str:
        return reverse(f"{self.app}:{name}", args=[upload.project.slug, upload.key])

    def pick(
        self, request: ProjectRequest, *, problem: str = "", status: int = 200
    ) -> HttpResponse:
        """Choose a file; what was imported before, and what still waits for a decision."""
        kind = self.importer.kind
        context = {
            "kind": kind,
            "problem": problem,
            "limit": settings.IMPORT_MAX_BYTES,
            "waiting": selectors.open_uploads(request.project, kind),
            "imports": selectors.recent_imports(request.project, kind),
        }
        return render(request, f"{self.app}/import.html", context, status=status)

    def receive(self, request: ProjectRequest) -> HttpResponse:
        """Take the file of the form onto the disk, and lead to the look at it.

        The view must be exempt from the CSRF middleware, which would read the form before its
        handler is set; the token is checked here.
        """
        request.upload_handlers = [ImportUploadHandler(request)]
        try:
            return csrf_protect(self._receive)(request)
        except ApplicationError as error:
            return self.pick(request, problem=error.message, status=error.status)

    def _receive(self, request: HttpRequest) -> HttpResponse:
        admitted = cast(ProjectRequest, request)
        file = request.FILES.get("file")
        if not isinstance(file, UploadedFile):
            raise BadInput(_("No file came along: choose one, or drop it on the field."))
        upload = services.save_upload(
            project=admitted.project,
            kind=self.importer.kind,
            received=path_of(file),
            filename=file.name or "upload",
            size=file.size or 0,
            actor=admitted.user,
        )
        return redirect(self.address("upload", upload))

    def look(self, request: ProjectRequest, key: uuid.UUID) -> HttpResponse:
        """The first rows and how they are read, what the person says, and how far it is."""
        upload = self.find(request, key)
        look = services.preview(upload, self.importer)
        return self._looked(request, upload, look, self.form(upload, self.importer, look))

    def _looked(
        self,
        request: ProjectRequest,
        upload: Upload,
        look: services.Preview,
        form: UploadForm,
        *,
        status: int = 200,
    ) -> HttpResponse:
        context = {
            **self._state(upload),
            "look": look,
            "form": form,
            "encodings": ENCODINGS,
        }
        return render(request, "prompts/upload.html", context, status=status)

    def check(self, request: ProjectRequest, key: uuid.UUID) -> HttpResponse:
        """Keep what the person says; unless they only want to look again, begin the dry run."""
        upload = self.find(request, key)
        look = services.preview(upload, self.importer)
        form = self.form(upload, self.importer, look, data=request.POST)
        if not form.is_valid():
            return self._looked(request, upload, look, form, status=422)
        options, extra = form.options(), form.extra()
        try:
            services.change_upload(upload, self.importer, options=options, extra=extra)
            if "look" not in request.POST:
                self._enqueue(services.start_check(upload, self.importer, actor=request.user))
        except ApplicationError as error:
            messages.error(request, error.message)
        return redirect(self.address("upload", upload))

    def commit(self, request: ProjectRequest, key: uuid.UUID) -> HttpResponse:
        """Import what the check has looked at."""
        upload = self.find(request, key)
        try:
            self._enqueue(services.start_import(upload, self.importer, actor=request.user))
        except ApplicationError as error:
            messages.error(request, error.message)
        return redirect(self.address("upload", upload))

    def state(self, request: ProjectRequest, key: uuid.UUID) -> HttpResponse:
        """The part that asks again while a job is at work."""
        return render(request, "prompts/_upload_state.html", self._state(self.find(request, key)))

    def find(self, request: ProjectRequest, key: uuid.UUID) -> Upload:
        upload = selectors.find_upload(request.project, self.importer.kind, key)
        if upload is None:
            raise Http404
        return upload

    def _state(self, upload: Upload) -> dict[str, Any]:
        job = upload.import_job or upload.check_job
        open_job = job if job is not None and not job.is_final else None
        done = upload.check_job is not None and upload.check_job.state == Job.State.DONE
        checked = upload.check_job.result if upload.check_job and done else None
        return {
            "upload": upload,
            "kind": self.importer.kind,
            "job": job,
            "open_job": open_job,
            "unheard": _unheard(open_job, self.importer),
            "checked": checked,
            "takes": checked and checked["new"] + checked["changed"],
            "addresses": {
                name: self.address(name, upload) for name in ("check", "commit", "upload_state")
            },
        }

    def _enqueue(self, job: Job) -> None:
        transaction.on_commit(partial(enqueue_job, job.pk))


def _unheard(job: Job | None, importer: Importer) -> bool:
    """Whether the job waits for a worker that is not there."""
    if job is None or job.state not in (Job.State.QUEUED, Job.State.RUNNING):
        return False
    return not a_worker_beats(QUEUES[job.task == importer.quick_task])
