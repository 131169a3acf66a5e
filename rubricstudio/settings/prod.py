"""Behind a proxy, on servers of one's own: every secret comes from the environment."""

from rubricstudio.settings.base import *  # noqa: F403 - a settings module extends its base
from rubricstudio.settings.env import env_bool, env_str

SECRET_KEY = env_str("SECRET_KEY")
SECURE_SSL_REDIRECT = env_bool("SECURE_SSL_REDIRECT", default=True)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
SECURE_HSTS_SECONDS = 31_536_000
