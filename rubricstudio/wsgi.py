"""Pages and the management API, as a WSGI application."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rubricstudio.settings.dev")

application = get_wsgi_application()
