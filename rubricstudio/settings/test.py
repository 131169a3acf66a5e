"""The test suite: its database comes from tests/pg.py by DATABASE_URL."""

import os

from rubricstudio.settings.base import *  # noqa: F403 - a settings module extends its base
from rubricstudio.settings.base import DATABASES, STATICFILES_DIRS  # noqa: F401

SECRET_KEY = "only-for-tests"  # noqa: S105 - signs nothing outside the test suite
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_AUTOREFRESH = True
if "RUBRICSTUDIO_TEST_DB" in os.environ:
    DATABASES["default"]["TEST"] = {"NAME": os.environ["RUBRICSTUDIO_TEST_DB"]}
