"""Rows through :func:`fuse_rows` for tests: an error of any row is raised."""

from typing import Any

from rubricstudio.core.errors import CoreError
from rubricstudio.core.fusion import fuse_rows


def fuse_all(rows: list[Any]) -> list[Any]:
    made = fuse_rows(rows)
    for one in made:
        if isinstance(one, CoreError):
            raise one
    return list(made)


def fuse(row: Any) -> Any:
    (made,) = fuse_all([row])
    return made
