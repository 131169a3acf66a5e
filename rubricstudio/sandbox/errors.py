"""Errors of the sandbox.

SandboxError
├── GeneratedCodeRefused     the walls of this machine do not allow generated code at all
└── JailBroken               the jail itself failed, not a checker: try again
"""


class SandboxError(Exception):
    """No checker could be asked; the message says why, and nothing is known of any response."""


class GeneratedCodeRefused(SandboxError):
    """This machine cannot hold generated code; only checkers that are data run here."""


class JailBroken(SandboxError):
    """The zygote could not be started or was lost twice; the same batch may be asked again."""
