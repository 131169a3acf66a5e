"""What can go wrong with the embedded layout, each said in one sentence to whoever started it.

LocalError
├── DatabaseError        the embedded database cannot start
│   └── OtherMajorError  its folder was written by another major version of PostgreSQL
└── ModelError           the embedded model server cannot start
"""


class LocalError(Exception):
    """The embedded layout cannot do what was asked; the message says why and what to do."""


class DatabaseError(LocalError):
    """The embedded database cannot start."""


class OtherMajorError(DatabaseError):
    """The data folder was written by another major version of PostgreSQL."""


class ModelError(LocalError):
    """The embedded model server cannot start."""
