# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in a Jet template."""

from __future__ import annotations


class JetError(Exception):
    """A template that cannot be parsed or rendered; ``str()`` is the whole message.

    Functions handed in raise it with what they have to say: ``try`` in a template catches it, else it is the error of
    the rendering.
    """


class SyntaxFault(JetError):
    """Text that is no template: ``template: /NAME:LINE: reason``."""


def at_node(name: str, line: int, reason: str) -> JetError:
    """Return the error of a place in a template, worded as Jet does: ``Jet Runtime Error ("/NAME":LINE): reason``."""
    from ..gofmt import quote

    return JetError(f"Jet Runtime Error ({quote(name)}:{line}): {reason}")
