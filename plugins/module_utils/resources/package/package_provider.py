# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the providers of packages have in common."""

from __future__ import annotations

from ...model.batch_provider import BatchProvider
from ...model.errors import ResourceFailed
from .type import WORDS, PackageProperties, PackageState


class PackageProvider(BatchProvider[PackageProperties, PackageState]):
    """A provider of packages; after a failure it says when `ensure` is a word rather than a version."""

    def act(self, verb: str, properties: PackageProperties, before: PackageState) -> None:
        """Call the method of a verb. Raises what that raises, with advice for a version that is a word."""
        try:
            super().act(verb, properties, before)
        except ResourceFailed as error:
            advise(error, properties.ensure)
            raise


def advise(error: ResourceFailed, ensure: str) -> None:
    """Give an error advice about the wanted version, if that is a word of another tool or a slip (Q115)."""
    if not error.advice and ensure not in WORDS:
        from ...model.foreign_words import version_advice

        error.advice = version_advice(ensure, WORDS, ("mark",))
