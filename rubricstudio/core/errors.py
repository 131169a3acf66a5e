"""Errors of the pure core. Each message is one sentence: what is wrong, where, what to do.

CoreError
├── MessageError             a message that no conversation can hold
├── SpecError                a criterion, constraint or spec that cannot score anything
│   ├── ConstraintError      a constraint whose type is known and whose parameters are wrong
│   └── RefusedConstraint    a constraint whose type or dialect no checker here answers
├── MetaRubricError          a meta-rubric that no rubric can be made from
├── VerdictError             a verdict or check outcome that contradicts itself
├── SettingsError            a setting outside its range, or an unknown one
├── GroupError               rollouts and verdicts that do not make one comparable group
├── StatisticsError          numbers from which no statistic can be told
├── CanonicalError           a value that has no canonical form
└── BundleError              a bundle that cannot be built or read
    └── TamperedBundle       a bundle whose files are not the ones that were frozen
"""


class CoreError(ValueError):
    """Any refusal of the core; a ``ValueError``, since a value handed in is what is wrong."""


class MessageError(CoreError):
    """A message has an unknown role, no text, or text that UTF-8 cannot hold."""


class SpecError(CoreError):
    """A criterion, a constraint or a spec cannot score anything as it stands."""


class ConstraintError(SpecError):
    """A constraint's type is known, but its parameters or options are wrong."""


class RefusedConstraint(SpecError):
    """No checker here answers this constraint; ``type`` and ``dialect`` name it."""

    def __init__(self, message: str, *, type: str, dialect: str) -> None:
        super().__init__(message)
        self.type = type
        self.dialect = dialect


class MetaRubricError(CoreError):
    """A meta-rubric, or a domain laid over a general one, contradicts itself or lacks something."""


class VerdictError(CoreError):
    """A verdict or a check outcome contradicts itself, such as a score without being scored."""


class SettingsError(CoreError):
    """A setting is unknown or outside its range."""


class GroupError(CoreError):
    """Rollouts and verdicts do not fit together into one comparable group."""


class StatisticsError(CoreError):
    """Numbers from which no statistic can be told: lengths that differ, values not finite."""


class CanonicalError(CoreError):
    """A value has no canonical JSON form: not a number, a key that is no string, broken text."""


class BundleError(CoreError):
    """A bundle cannot be built or read; ``path`` names the file, or is empty."""

    def __init__(self, message: str, *, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class TamperedBundle(BundleError):
    """A bundle's files are not the ones that were frozen; ``path`` names the first of them."""
