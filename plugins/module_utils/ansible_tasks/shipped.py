# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Manifests that the controller parsed, by where they would be on the node."""

from __future__ import annotations

from ..lang.paths import join
from ..manifest.shipping import unpack
from ..model.errors import ManifestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..lang.yaml import Document


class ShippedManifests:
    """The packed documents of `packed`, by their paths below the `directory` that stands for the controller's."""

    def __init__(self, packed: dict[str, dict[str, Any]], directory: str) -> None:
        self._packed = {join(directory, name): document for name, document in packed.items()}
        self._directory = directory

    def parsed(self, path: str) -> Document | None:
        """The document of a file, None for one that is to be read on the node.

        Raises ManifestError for a manifest that could not be parsed, and for a relative name that leads out of the
        directory: what lies beside it there is nothing of the controller's, and anybody's.
        """
        found = self._packed.get(path)
        if found is None:
            beside = self._directory.rpartition("/")[0]
            if path.startswith(f"{beside}/") and not path.startswith(f"{self._directory}/"):
                raise ManifestError(
                    "a child manifest lies outside of the directory that was sent",
                    value=path[len(beside) + 1 :],
                    advice="give path the directory that holds them all",
                )
            return None
        if "problem" in found:
            raise ManifestError(found["problem"])
        document: Any = unpack(found)
        return document
