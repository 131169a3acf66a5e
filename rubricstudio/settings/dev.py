"""The default layout: one machine, one data folder, nothing to configure."""

from rubricstudio.local import paths
from rubricstudio.settings.base import *  # noqa: F403 - a settings module extends its base

SECRET_KEY = paths.secret("secret.key")

# Static files are served from where they are: there is no step to collect them.
WHITENOISE_USE_FINDERS = True
