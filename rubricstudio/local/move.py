"""`manage.py move_data`: carry a data folder over to the PostgreSQL of this version.

The old cluster is served once more by programs of its own major version, dumped, and read into a
new cluster. The old one is kept beside it under its version's name.
"""

import argparse
import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rubricstudio.local import paths, postgres, sharing
from rubricstudio.local.binaries import find_major
from rubricstudio.local.database import DATABASE
from rubricstudio.local.errors import DatabaseError
from rubricstudio.local.postgres import Cluster


def main(arguments: Sequence[str]) -> int:
    """Move the database of the data folder; one JSON object says what was done."""
    argparse.ArgumentParser(
        prog="manage.py move_data",
        description="Move the data folder (RUBRICSTUDIO_DATA) to this version's PostgreSQL.",
    ).parse_args(arguments)
    data = paths.data_dir()
    with sharing.alone(DATABASE, data):
        kept = move(postgres.embedded_cluster(data))
    print(json.dumps({"data": str(data), "kept": None if kept is None else str(kept)}))
    return 0


def move(cluster: Cluster) -> Path | None:
    """Move the cluster to the major version of its binaries; where the old one is kept.

    None when it is of this version already. Nothing is changed before the copy is complete.
    """
    major = cluster.major
    if major is None:
        raise DatabaseError(f"There is no database in {cluster.data} to move.")
    if major == cluster.binaries.major:
        return None
    kept = cluster.folder.with_name(f"cluster-{major}")
    if kept.exists():
        raise DatabaseError(f"{kept} is left from an earlier move; put it elsewhere first.")
    old = replace(cluster, binaries=find_major(major))
    new = replace(cluster, folder=cluster.folder.with_name("cluster.moving"))
    postgres.check_room(cluster.data, needed=_size(old.folder) + postgres.ROOM_FOR_A_NEW_CLUSTER)
    shutil.rmtree(new.folder, ignore_errors=True)
    with _serving(old) as source, _serving(new) as target:
        _copy(source, target)
    cluster.folder.rename(kept)
    new.folder.rename(cluster.folder)
    return kept


@contextlib.contextmanager
def _serving(cluster: Cluster) -> Iterator[Cluster]:
    """The cluster served on a socket of its own, for as long as the move takes."""
    with tempfile.TemporaryDirectory(prefix="rubricstudio-move-") as folder:
        cluster = replace(cluster, sockets=Path(folder))
        cluster.prepare()
        process = cluster.start()
        try:
            yield cluster
        finally:
            postgres.stop(process)


def _copy(source: Cluster, target: Cluster) -> None:
    """Dump one into the other in one transaction; then let the planner count the rows."""
    print("Copying the database …", file=sys.stderr)
    # The old pg_dump: minor releases have left marks in their tables that only their own one knows.
    dump = [source.binaries.path("pg_dump"), *_address(source)]
    restore = [target.binaries.path("psql"), *_address(target), "--quiet", "--no-psqlrc"]
    strictly = ["--set=ON_ERROR_STOP=1", "--output=/dev/null", "--single-transaction"]
    with tempfile.TemporaryFile() as complaints:
        with subprocess.Popen(dump, stdout=subprocess.PIPE, stderr=complaints) as reader:
            writer = subprocess.run([*restore, *strictly], stdin=reader.stdout, stderr=complaints)
        complaints.seek(0)
        said = complaints.read().decode(errors="replace").strip()
    if reader.returncode or writer.returncode:
        raise DatabaseError(f"The database could not be copied: {said}")
    subprocess.run([*restore, "--command=ANALYZE"], check=True)


def _address(cluster: Cluster) -> list[str]:
    user, name = paths.DATABASE_USER, paths.DATABASE_NAME
    return [f"--host={cluster.sockets}", f"--username={user}", f"--dbname={name}"]


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
