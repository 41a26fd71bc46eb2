# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The manifests that resources apply, read before a run in graph order for the references between them.

A manifest that cannot be read yet, or that the run itself makes, is read only during the run.
"""

from __future__ import annotations

import os

from ..engine.graph.references import Circle, References, WrongReference, declared_by
from ..host.errors import HostError
from ..lang.paths import join
from ..model.errors import CCMError
from ..model.facets import PATH, TREE
from ..resources.types import relations
from .apply_chain import MAX_DEPTH
from .loader import load_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Sequence

    from ..engine.graph.references import Declared
    from ..model.resource import Resource
    from ..model.values import Data
    from .loader import Inputs
    from .manifest import Manifest

#: Manifests that are read before a run at most.
_MOST = 200


class Applied:
    """A child manifest, and its own child manifests by the indexes of the resources that apply them."""

    def __init__(self, manifest: Manifest, applied: dict[int, Applied]) -> None:
        self.manifest = manifest
        self.applied = applied

    def names(self) -> Iterator[str]:
        """Yield the references of all resources in it and in its child manifests."""
        for resource in self.manifest.resources:
            yield from resource.names
        for each in self.applied.values():
            yield from each.names()

    def outward(self) -> Iterator[tuple[str, Declared]]:
        """Yield the references to resources outside it, from it and its child manifests, with the manifest's name."""
        inside = References(self.manifest.resources, applied=names_of_applied(self.applied))
        for resource in self.manifest.resources:
            for declared in declared_by(resource):
                if not inside.holds(declared.reference):
                    yield self.manifest.source, declared
        for each in self.applied.values():
            for name, declared in each.outward():
                if not inside.holds(declared.reference):
                    yield name, declared


def names_of_applied(applied: dict[int, Applied]) -> dict[int, list[str]]:
    """Return the references of the resources in child manifests, by the indexes of the resources that apply them."""
    return {index: list(each.names()) for index, each in applied.items()}


def applied_manifests(
    resources: Sequence[Resource],
    directory: str,
    data: Data,
    inputs: Inputs,
    chain: tuple[str, ...] = (),
    read: list[str] | None = None,
) -> dict[int, Applied]:
    """Return the manifests that resources in `directory` apply, by the indexes of the resources.

    `data` and `inputs` belong to the manifest of the resources, `chain` are the files of the manifests above it. At
    most `_MOST` manifests are read, and added to `read`; the run reads the others. Raises WrongReference and Circle,
    also for faults in child manifests; the run reports other faults.
    """
    read = [] if read is None else read
    found = {}
    for index, resource in enumerate(resources):
        path = os.path.abspath(join(directory, resource.properties.name)) if resource.type.applies_manifests else ""
        if not path or resource.properties.control or "\0" in path or len(chain) > MAX_DEPTH or len(read) >= _MOST:
            continue
        if os.path.realpath(path) in chain or _is_made(path, resources):
            continue
        read.append(path)
        own: Data | None = vars(resource.properties)["data"]
        child = _loaded(path, resource, directory, inputs.of_child(own, data, (resources, True)))
        if child:
            further = (*chain, os.path.realpath(path))
            children = applied_manifests(child.resources, child.directory, child.data, child.inputs, further, read)
            found[index] = Applied(child, children)
    return found


def _loaded(path: str, resource: Resource, directory: str, inputs: Inputs) -> Manifest | None:
    name = resource.properties.name
    try:
        document = inputs.document_in(path, name, directory)
        return load_document(document, name, os.path.dirname(path), inputs, reads_applied=False)
    except (WrongReference, Circle):
        raise
    except (CCMError, HostError, OSError):
        return None


def _is_made(path: str, resources: Sequence[Resource]) -> bool:
    """Return whether a resource makes the file at a path."""
    for resource in resources:
        known = relations(resource.type)
        for identity in known.provides(resource.properties) if known else ():
            name = identity.name.rstrip("/")
            if (identity.kind == PATH and name == path) or (identity.kind == TREE and path.startswith(f"{name}/")):
                return True
    return False
