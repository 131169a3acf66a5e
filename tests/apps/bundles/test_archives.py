"""A bundle as one file: the same bytes again, whatever packs them."""

import io
import tarfile
import zipfile

import pytest

from apps.bundles import services
from rubricstudio.core.bundle import verify_bundle

pytestmark = pytest.mark.django_db


@pytest.fixture
def bundle(ready, freeze):
    return freeze(ready, name="High tides").bundle


def test_a_tar_unpacks_to_a_folder_that_verifies(bundle, tmp_path):
    data = b"".join(services.tar_stream(bundle))

    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        archive.extractall(tmp_path, filter="data")

    found = verify_bundle(tmp_path / "high-tides-v1", expected_id=bundle.bundle_id)
    assert found.problems == ()
    assert len(data) == services.tar_size(bundle)


def test_a_zip_unpacks_to_a_folder_that_verifies(bundle, tmp_path):
    data = b"".join(services.zip_stream(bundle))

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path)  # noqa: S202 - our own archive

    assert verify_bundle(tmp_path / "high-tides-v1", expected_id=bundle.bundle_id).problems == ()


def test_packing_twice_gives_the_same_bytes(bundle):
    for stream in (services.tar_stream, services.zip_stream):
        assert b"".join(stream(bundle)) == b"".join(stream(bundle))
