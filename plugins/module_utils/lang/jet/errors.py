# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in a Jet template."""

from __future__ import annotations

from ..go.quoting import quote


class JetError(Exception):
    """A template that cannot be parsed or rendered; ``str()`` is the whole message.

    Functions handed in raise it with what they have to say: ``try`` in a template catches it, else it is the error of
    the rendering. ``advice`` says what to do, "" where nothing is known.
    """

    advice = ""


class SyntaxFault(JetError):
    """Text that is no template: ``template: /NAME:LINE: reason``.

    ``opened`` is the line of the innermost statement that the text ends in, 0 for other errors.
    """

    opened = 0


class Unplaced(JetError):
    """What goes wrong in an action that templates share: the place, a line in it if it ``has_line``, is to come."""

    def __init__(self, reason: str, has_line: bool) -> None:
        super().__init__(reason)
        self._has_line = has_line

    def placed(self, name: str, line: int) -> JetError:
        """Return the error of an action in this line of the template ``name``."""
        return at_node(name, line * self._has_line, str(self))


def at_node(name: str, line: int, reason: str) -> JetError:
    """Return the error of a place in a template, worded as Jet does: ``Jet Runtime Error ("/NAME":LINE): reason``."""
    return JetError(f"Jet Runtime Error ({quote(name)}:{line}): {reason}")
