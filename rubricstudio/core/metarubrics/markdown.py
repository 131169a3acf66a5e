"""Meta-rubrics as Markdown that people read and write, and back without loss.

The form::

    # Name
    Scope: domain
    Domain: creative-writing
    Removes: key, key

    Summary in a line or more.

    ## Principles
    - **key**: text

    ## Criteria
    ### key (core): Title
    What it asks, in a line or more.
    Applies: when it is used.
    - a point to look at

    ## Failure modes
    - **key** (critical): text

    ## Weighting
    Text.

    ## Instantiation
    - a rule
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from rubricstudio.core.errors import MetaRubricError
from rubricstudio.core.metarubrics.types import MetaCriterion, MetaRubric

_HEADING: Final = re.compile(r"(#{1,3}) +(.*\S)\s*")
_ENTRY: Final = re.compile(r"- \*\*(?P<key>[^*]+)\*\*(?: \((?P<note>[a-z]+)\))?: (?P<text>.*\S)\s*")
_CRITERION: Final = re.compile(r"(?P<key>\S+) \((?P<tier>[a-z]+)\)(?:: (?P<title>.*))?")
_FIELD: Final = re.compile(r"(Scope|Domain|Removes): *(.*\S)\s*")
_SECTIONS: Final = ("Principles", "Criteria", "Failure modes", "Weighting", "Instantiation")
_APPLIES: Final = "Applies: "


def to_markdown(rubric: MetaRubric) -> str:
    """The meta-rubric in the form above; :func:`from_markdown` reads it back the same."""
    lines = [f"# {rubric.name}", f"Scope: {rubric.scope}"]
    if rubric.domain:
        lines.append(f"Domain: {rubric.domain}")
    if rubric.removes:
        lines.append(f"Removes: {', '.join(rubric.removes)}")
    if rubric.summary:
        lines += ["", rubric.summary]
    parts = {
        "Principles": [f"- **{one.key}**: {one.text}" for one in rubric.principles],
        "Criteria": [line for one in rubric.criteria for line in _criterion_lines(one)],
        "Failure modes": [
            f"- **{one.key}**{' (critical)' if one.critical else ''}: {one.text}"
            for one in rubric.failure_modes
        ],
        "Weighting": [rubric.weighting] if rubric.weighting else [],
        "Instantiation": [f"- {rule}" for rule in rubric.instantiation],
    }
    for title, body in parts.items():
        if body:
            lines += ["", f"## {title}", *body]
    return "\n".join(lines) + "\n"


def _criterion_lines(criterion: MetaCriterion) -> list[str]:
    lines = [f"### {criterion.key} ({criterion.tier}): {criterion.title}", criterion.text]
    if criterion.applies:
        lines.append(_APPLIES + criterion.applies)
    return [*lines, *(f"- {point}" for point in criterion.points)]


def from_markdown(text: str) -> MetaRubric:
    """Read the form above; raises :class:`MetaRubricError` with the number of a wrong line."""
    data: dict[str, Any] = {"name": "", "scope": "general"}
    sections = _sections(text.replace("\r\n", "\n").split("\n"))
    _, _, head = next(sections)
    _read_head(data, head)
    for number, title, lines in sections:
        if title not in _SECTIONS:
            known = ", ".join(_SECTIONS)
            raise MetaRubricError(f"line {number}: there is no section {title!r:.40}; use {known}")
        _read_section(data, title, lines)
    return MetaRubric.from_dict(data)


Lines = Sequence[tuple[int, str]]


def _sections(lines: Sequence[str]) -> Iterator[tuple[int, str, Lines]]:
    """What stands before the first section, then each section with the number of its heading."""
    start, title, body = 0, "", list[tuple[int, str]]()
    for number, line in enumerate(lines, start=1):
        heading = _HEADING.fullmatch(line)
        if heading and heading[1] == "##":
            yield start, title, body
            start, title, body = number, heading[2], []
        elif line.strip():
            body.append((number, line.rstrip()))
    yield start, title, body


def _read_head(data: dict[str, Any], lines: Lines) -> None:
    summary = []
    for _number, line in lines:
        heading, named = _HEADING.fullmatch(line), _FIELD.fullmatch(line)
        if heading and heading[1] == "#" and not data["name"]:
            data["name"] = heading[2]
        elif named and named[1] == "Removes":
            data["removes"] = [key.strip() for key in named[2].split(",")]
        elif named:
            data[named[1].lower()] = named[2]
        else:
            summary.append(line)
    data["summary"] = "\n".join(summary)


def _read_section(data: dict[str, Any], title: str, lines: Lines) -> None:
    if title == "Weighting":
        data["weighting"] = "\n".join(line for _, line in lines)
    elif title == "Instantiation":
        data["instantiation"] = [_point(number, line) for number, line in lines]
    elif title == "Criteria":
        data["criteria"] = list(_criteria(lines))
    elif title == "Principles":
        data["principles"] = [_entry(number, line, note="") for number, line in lines]
    else:
        data["failure_modes"] = [_entry(number, line, note="critical") for number, line in lines]


def _entry(number: int, line: str, *, note: str) -> dict[str, Any]:
    found = _ENTRY.fullmatch(line)
    if found is None or (found["note"] or note) != note:
        form = f"- **key**{f' ({note})' if note else ''}: text"
        raise MetaRubricError(f"line {number}: an entry is written {form}")
    entry: dict[str, Any] = {"key": found["key"], "text": found["text"]}
    return entry | ({"critical": found["note"] is not None} if note else {})


def _criteria(lines: Lines) -> Iterator[dict[str, Any]]:
    current: dict[str, Any] | None = None
    for number, line in lines:
        heading = _HEADING.fullmatch(line)
        if heading and heading[1] == "###":
            if current is not None:
                yield current
            current = _criterion_head(number, heading[2])
        elif current is None:
            raise MetaRubricError(f"line {number}: a criterion begins with ### key (tier): Title")
        elif line.startswith(_APPLIES):
            current["applies"] = line.removeprefix(_APPLIES)
        elif line.startswith("- "):
            current["points"].append(line[2:])
        else:
            current["text"] = "\n".join(filter(None, (current["text"], line)))
    if current is not None:
        yield current


def _criterion_head(number: int, text: str) -> dict[str, Any]:
    found = _CRITERION.fullmatch(text)
    if found is None:
        raise MetaRubricError(f"line {number}: a criterion begins with ### key (tier): Title")
    title = found["title"] or found["key"]
    return {"key": found["key"], "tier": found["tier"], "title": title, "text": "", "points": []}


def _point(number: int, line: str) -> str:
    if not line.startswith("- "):
        raise MetaRubricError(f"line {number}: a rule is written - rule")
    return line[2:]
