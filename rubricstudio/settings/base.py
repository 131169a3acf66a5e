"""Settings shared by every layout; dev, test and prod say only where they differ."""

from pathlib import Path

from django.utils.translation import gettext_lazy as _

from rubricstudio.local import paths
from rubricstudio.settings.database import parse_database_url
from rubricstudio.settings.env import env_bool, env_int, env_list, env_str

BASE_DIR = Path(__file__).resolve().parent.parent.parent
DATA_DIR = paths.data_dir()

DEBUG = False
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "ninja",
    "apps.activity",
    "apps.accounts",
    "apps.calls",
    "apps.prompts",
    "apps.rollouts",
    "apps.specs",
    "apps.judging",
    "apps.rewards",
    "apps.bundles",
    "apps.studio",
    # The web processes share the Celery application only if this is here (workers/apps.py).
    "workers",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "apps.accounts.middleware.ContentSecurityPolicyMiddleware",
    "apps.accounts.middleware.AccessPolicyMiddleware",
    "apps.studio.middleware.ProblemMiddleware",
]

ROOT_URLCONF = "rubricstudio.urls"
WSGI_APPLICATION = "rubricstudio.wsgi.application"
ASGI_APPLICATION = "rubricstudio.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {"default": parse_database_url(paths.database_url())}
DATABASES["default"]["CONN_MAX_AGE"] = env_int("CONN_MAX_AGE", default=60)
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "accounts:sign_in"
LOGIN_REDIRECT_URL = "studio:home"
LOGOUT_REDIRECT_URL = "accounts:sign_in"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "rubricstudio" / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "apps.studio.finders.PlotlyFinder",
]

# One limit for every upload, stated in the form and enforced here and at import.
IMPORT_MAX_BYTES = env_int("IMPORT_MAX_BYTES", default=2 * 1024**3)
# Uploads lie here until they are imported, so web processes and workers share this folder.
UPLOADS_DIR = DATA_DIR / "uploads"
DATA_UPLOAD_MAX_MEMORY_SIZE = env_int("REQUEST_MAX_BYTES", default=64 * 1024**2)

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"

# The queue. State lives in our own rows, so there is no result backend.
CELERY_BROKER_URL = paths.broker_url()
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
if CELERY_BROKER_URL.startswith("pgmq"):
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "conn_string": paths.queue_connection(),
        # The schema comes with a migration: no extension, no superuser.
        "init_extension": False,
        # Fixed when a message is read and never extended, so it must outlast the longest shard.
        "visibility_timeout": env_int("QUEUE_VISIBILITY_TIMEOUT", default=720),
        # A long poll would hold the worker at one empty queue while tasks wait in another.
        "wait_time_seconds": 0,
        "polling_interval": 0.1,
    }

# A worker that has not been seen for this long does not count as running.
WORKER_SEEN_WITHIN_SECONDS = env_int("WORKER_SEEN_WITHIN_SECONDS", default=15)
SHARD_SECONDS = env_int("SHARD_SECONDS", default=60)
SHARD_ROLLOUTS = env_int("SHARD_ROLLOUTS", default=32)

# LLM_* seed the first model endpoint; `up` fills them in for the embedded model.
MODEL_ENVIRONMENT = paths.model_environment()

SITE_URL = env_str("SITE_URL", "http://127.0.0.1:8000")
ENCRYPTION_KEY_FILE = DATA_DIR / "endpoint.key"
# How many proxies of ours stand before the web server and append to X-Forwarded-For.
TRUSTED_PROXIES = env_int("TRUSTED_PROXIES", default=0)
USE_X_FORWARDED_HOST = env_bool("USE_X_FORWARDED_HOST", default=False)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": env_str("LOG_LEVEL", "INFO")},
    # A line per call to a model would be a million lines a day; each call is a row anyway.
    "loggers": {"httpx2": {"level": "WARNING"}},
}
