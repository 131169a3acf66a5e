"""Behind a proxy, on servers of one's own: every secret comes from the environment."""

from pathlib import Path

from rubricstudio.settings.base import *  # noqa: F403 - a settings module extends its base
from rubricstudio.settings.base import BASE_DIR
from rubricstudio.settings.env import env_bool, env_int, env_str

SECRET_KEY = env_str("SECRET_KEY")
SECURE_SSL_REDIRECT = env_bool("SECURE_SSL_REDIRECT", default=True)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
TRUSTED_PROXIES = env_int("TRUSTED_PROXIES", default=1)
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
SECURE_HSTS_SECONDS = 31_536_000

# In the image, beside the code: the data folder is a volume that outlives the image.
STATIC_ROOT = Path(env_str("STATIC_ROOT", str(BASE_DIR / "staticfiles")))
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
