"""The code of generated checkers in a bundle: one content file each, named by its hash."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from rubricstudio.core.bundle.layout import FileEntry
from rubricstudio.core.canonical import sha256_hex
from rubricstudio.core.checkers.generated import GENERATED, code_of, code_path
from rubricstudio.core.errors import BundleError
from rubricstudio.core.types import SpecValue

CodeOf = Callable[[str], str]
"""The code of a hash; raises KeyError for one that is not known."""


def no_code(sha256: str) -> str:
    """For bundles whose constraints are all data."""
    raise KeyError(sha256)


def codes_in(spec: SpecValue) -> Iterator[str]:
    """The hashes of the code that a spec's constraints name.

    Raises :class:`BundleError` for a requirement that no code answers: it would never count.
    """
    for constraint in spec.constraints:
        if constraint.type != GENERATED:
            continue
        code = code_of(constraint)
        if code is None:
            raise BundleError(
                f"the spec of the prompt {spec.prompt_id!r:.60} has a requirement without code: "
                f"{constraint.params.get('requirement')!r:.80}"
            )
        yield code


def code_files(codes: Iterable[str], code: CodeOf) -> Mapping[str, bytes]:
    """The files of a bundle for some hashes, by path, in their order.

    Raises :class:`BundleError` for code that is not there, or is not the one its hash names.
    """
    files = {}
    for sha256 in sorted(set(codes)):
        try:
            data = code(sha256).encode("utf-8", "surrogatepass")
        except KeyError:
            raise BundleError(f"the code {sha256[:12]}… of a checker is missing") from None
        if sha256_hex(data) != sha256:
            raise BundleError(f"the code {sha256[:12]}… is not the one that its hash names")
        files[code_path(sha256)] = data
    return files


def missing_codes(specs: Iterable[SpecValue], listed: Mapping[str, FileEntry]) -> Iterator[str]:
    """The paths of code that specs name and a bundle does not hold as it was named."""
    for sha256 in sorted({code for spec in specs for code in codes_in(spec)}):
        entry = listed.get(code_path(sha256))
        if entry is None or entry.sha256 != sha256:
            yield code_path(sha256)
