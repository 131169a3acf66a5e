"""The scorer library: what a trainer's process needs of a bundle, without the application."""

from rubricstudio.core.bundle import Bundle

__all__ = ["Bundle"]
