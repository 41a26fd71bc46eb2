# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Manifests that a manifest applies (behaviour.md 4)."""

from __future__ import annotations

import os

from ..lang.paths import join
from ..manifest.apply_chain import MAX_DEPTH
from ..manifest.source import fetch_file
from ..model.errors import CCMError
from .placeholders import holds_expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .declared import Declared
    from .review import Review

RULE = "child"


class Child:
    """A manifest to check next: its text, its name in messages, its directory, and whether it may apply others."""

    def __init__(self, text: bytes, name: str, path: str, may_apply: bool) -> None:
        self.text = text
        self.name = name
        self.path = path
        self.may_apply = may_apply


def check_application(review: Review, declared: Declared, chain: tuple[str, ...], may_apply: bool) -> Child | None:
    """Note faults in applying a child; return the child when it can be read and followed.

    `chain` are the real paths of the manifests that led here, the one under review the last; `may_apply` is whether it
    may apply any.
    """
    about = {"resource": declared.reference, "property": "name"}
    place = declared.origin.position(())
    if not may_apply:
        review.error(RULE, "apply resources are denied by the manifest that applies this one", place, **about)
    if declared.values.get("noop") and declared.values.get("health_check_only"):
        review.error(RULE, "cannot set healthcheck only and noop mode at the same time", place, **about)
    name = declared.name
    if not name or holds_expression(name):
        return None
    path = join(review.directory, name)
    if "\0" in path:
        review.error(RULE, "the child manifest cannot be read: its name has a NUL", place, **about)
        return None
    if os.path.realpath(path) in chain:
        # Control may end it, and other data too: only the run knows.
        if not declared.values.get("control") and declared.values.get("data") is None:
            review.error(RULE, "a manifest applies itself", place, advice="break the circle", **about)
        return None
    if len(chain) >= MAX_DEPTH:
        review.error(RULE, f"maximum apply depth of {MAX_DEPTH} exceeded", place, **about)
        return None
    try:
        text = fetch_file(path)
    except CCMError as error:
        message = f"the child manifest cannot be read: {error.message}"
        review.warn(RULE, message, place, resource=declared.reference, property="name")
        return None
    shown = os.path.normpath(os.path.join(os.path.dirname(review.name), name))
    return Child(text, shown, path, declared.values.get("allow_apply") is not False)


def is_application(declared: Declared) -> bool:
    """Return whether a resource is a child manifest."""
    return declared.type.applies_manifests
