"""Length-framed messages between the process that asks, the zygote and its children."""

import os
from collections.abc import Callable

LENGTH = 4


def frame(payload: bytes, size_of: Callable[[bytes], int] = len) -> bytes:
    """A payload with its length before it.

    The default holds the real ``len``, for a checker may put another one in its place.
    """
    return size_of(payload).to_bytes(LENGTH, "big") + payload


def read_exactly(descriptor: int, size: int) -> bytes:
    """So many bytes; raises EOFError when the other end closes before."""
    held = bytearray()
    while len(held) < size:
        part = os.read(descriptor, min(size - len(held), 2**20))
        if not part:
            raise EOFError("the other end closed the channel")
        held += part
    return bytes(held)


def read_frame(descriptor: int) -> bytes:
    """The payload of the next message; raises EOFError at the end of the channel."""
    return read_exactly(descriptor, int.from_bytes(read_exactly(descriptor, LENGTH), "big"))


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes, however many calls that takes."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
