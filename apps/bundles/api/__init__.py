"""Bundles over HTTP: lists, manifests, and files that are streamed as they were frozen."""

from apps.bundles.api.routes import router, trainer_router

__all__ = ["router", "trainer_router"]
