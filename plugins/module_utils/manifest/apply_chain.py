# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The chain of manifests that led to the running manifest, each applied by the previous one (behaviour.md 4)."""

from __future__ import annotations

import os

from ..model.errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .manifest import Manifest

#: The longest chain of manifests that apply each other.
MAX_DEPTH = 10


class ApplyChain:
    """The chain of manifests down to the running manifest, the first one first.

    `controls` says of each manifest whether the resource that applies the next one has `control`.
    """

    def __init__(self, manifests: tuple[Manifest, ...], controls: tuple[bool, ...] = ()) -> None:
        self.manifests = manifests
        self._controls = controls
        # By file and data, the depth of manifests that applied themselves until the chain was too long.
        self._endless: dict[tuple[str, str], int] = {}

    @property
    def manifest(self) -> Manifest:
        """The manifest that runs."""
        return self.manifests[-1]

    def pushed(self, child: Manifest, *, has_control: bool) -> ApplyChain:
        """Return the chain with a manifest that is applied here at its end."""
        chain = ApplyChain((*self.manifests, child), (*self._controls, has_control))
        # The next resource of the first manifest begins again: files may be other ones then.
        chain._endless = self._endless if len(self.manifests) > 1 else {}
        return chain

    def require_progress(self) -> None:
        """Raise ResourceFailed for a manifest that is being applied already with the same data (decisions.md Q111).

        It is let through where a resource between the two has `control`, which may end it, unless the chain was too
        long with the same manifest and data before.
        """
        last = self.manifest
        if self._endless and self._endless.get(_key(last), MAX_DEPTH) < len(self.manifests):
            raise ResourceFailed(f"{_TOO_DEEP} before with the same data: {self}", advice=_ADVICE)
        may_end = False
        for at in range(len(self.manifests) - 2, -1, -1):
            may_end = may_end or self._controls[at]
            if may_end:
                return
            if _is_same(self.manifests[at], last):
                raise ResourceFailed(f"is being applied already with the same data: {self}", advice=_ADVICE)

    def check_depth(self) -> None:
        """Raise ResourceFailed where too many manifests apply each other; it names a manifest that applies itself."""
        if len(self.manifests) <= MAX_DEPTH:
            return
        files = [os.path.realpath(manifest.path) for manifest in self.manifests]
        repeated = [at for at, path in enumerate(files) if files.count(path) > 1]
        if not repeated:
            raise ResourceFailed(_TOO_DEEP, advice=f"the chain is {self}")
        for at in repeated:
            self._endless.setdefault(_key(self.manifests[at]), at)
        raise ResourceFailed(f"{_TOO_DEEP}: {self}", advice=f"a manifest applies itself: {_ADVICE}")

    def __str__(self) -> str:
        """Return the names of the manifests."""
        return " > ".join(manifest.source for manifest in self.manifests)


_TOO_DEEP = f"maximum apply depth of {MAX_DEPTH} exceeded"
_ADVICE = "break the circle, pass on other data, or end it by control"


def _is_same(one: Manifest, other: Manifest) -> bool:
    """Return whether two manifests are from one file and have the same data."""
    # What differs at little cost comes first: other files have other resources.
    return (
        len(one.resources) == len(other.resources)
        and all(first.reference == then.reference for first, then in zip(one.resources, other.resources))
        and one.data == other.data
        and _key(one) == _key(other)
    )


def _key(manifest: Manifest) -> tuple[str, str]:
    # 1 and true are equal, but not the same.
    return os.path.realpath(manifest.path), repr(manifest.data)
