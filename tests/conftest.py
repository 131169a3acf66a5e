"""What every test stands on: a real PostgreSQL, and no network beyond this machine."""

import os
import signal

import pytest
from hypothesis import settings

from tests import pg

LOOPBACK = "127.0.0.1,::1,localhost"
# A busy machine is no failure: no example of a property is timed.
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")
CLUSTER = pytest.StashKey[pg.ThrowawayCluster]()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Name the database before Django connects; the workers of xdist inherit the name."""
    # A shell starts what runs in its background deaf to ctrl-C, and the tests start processes too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config.option.allow_hosts = LOOPBACK
    config.option.allow_unix_socket = True
    if hasattr(config, "workerinput") or config.option.collectonly:
        return
    url = pg.named_url()
    if url is None:
        config.stash[CLUSTER] = pg.ThrowawayCluster()
        url = config.stash[CLUSTER].url
    os.environ["DATABASE_URL"] = url


def pytest_unconfigure(config: pytest.Config) -> None:
    if CLUSTER in config.stash:
        config.stash[CLUSTER].close()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Point Django to the suite's database: without xdist its settings were read before."""
    from django.conf import settings
    from django.db import connections

    from rubricstudio.local import paths
    from rubricstudio.settings.database import parse_database_url

    if settings.CELERY_BROKER_URL.startswith("pgmq"):
        settings.CELERY_BROKER_TRANSPORT_OPTIONS["conn_string"] = paths.queue_connection()
    named = parse_database_url(os.environ["DATABASE_URL"])
    connections["default"].settings_dict.update(named)
