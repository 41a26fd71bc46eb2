# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The chain of manifests that led to the one that runs, each applied by the previous one (behaviour.md 4)."""

from __future__ import annotations

import os

from ..model.errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..engine.context import Converge
    from ..engine.sent import SentLast
    from ..model.values import Data
    from .loader import Inputs
    from .manifest import Manifest

    #: Returns what does more than the function that brings the resources of a manifest to their state.
    WrapConverge = Callable[[Converge, "ApplyChain", Manifest], Converge]

#: The longest chain of manifests that apply each other.
MAX_DEPTH = 10


class ApplyChain:
    """What a manifest passes to those that it applies.

    `inputs` is what it was resolved with, `data` its resolved data. `links` are the names of the manifests, the first
    one first, each with its file. `read` are those that its graph knows, by the names of the resources that apply them.
    `sent_last` returns what resources sent in earlier runs, None where that is not kept. `wrap_converge` is called for
    each manifest.
    """

    sent_last: SentLast | None = None
    wrap_converge: WrapConverge | None = None

    def __init__(
        self, inputs: Inputs, data: Data, links: tuple[tuple[str, str], ...], read: frozenset[str] = frozenset()
    ) -> None:
        self.inputs = inputs
        self.data = data
        self.links = links
        self.read = read

    def pushed(self, child: Manifest) -> ApplyChain:
        """Return the chain with a manifest that is applied here at its end."""
        chain = ApplyChain(child.inputs, child.data, (*self.links, (child.source, child.path)), child.read)
        chain.sent_last, chain.wrap_converge = self.sent_last, self.wrap_converge
        return chain

    def check_depth(self) -> None:
        """Raise ResourceFailed where too many manifests apply each other; one that applies itself is shown."""
        if len(self.links) <= MAX_DEPTH:
            return
        text = f"maximum apply depth of {MAX_DEPTH} exceeded"
        chain = " > ".join(name for name, path in self.links)
        if len({os.path.realpath(path) for name, path in self.links}) < len(self.links):
            raise ResourceFailed(f"{text}: {chain}", advice="a manifest applies itself: break the circle")
        raise ResourceFailed(text, advice=f"the chain is {chain}")
