"""The demo project: what a newcomer sees first, written for this product.

Every text of it, and every verdict, was written by a person. It comes in through the services that
any project uses, so its specs, runs and rewards are what those services make of it.
"""

from apps.studio.demo.restoring import SLUG, Demo, is_there, restore_demo

__all__ = ["SLUG", "Demo", "is_there", "restore_demo"]
