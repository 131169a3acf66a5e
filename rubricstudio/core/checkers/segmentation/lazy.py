"""An attribute that is computed when it is first asked for, and kept."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazy(Generic[T]):
    """As ``functools.cached_property``, without the lock that Python 3.11 takes each time.

    A view belongs to one thread, and taking the lock costs more than some of what is kept.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> "lazy[T]": ...
    @overload
    def __get__(self, owner: object, kind: type) -> T: ...
    def __get__(self, owner: object | None, kind: type) -> "lazy[T] | T":
        if owner is None:
            return self
        # What is in the instance is found before this descriptor from then on.
        value = owner.__dict__[self._name] = self._compute(owner)
        return value
