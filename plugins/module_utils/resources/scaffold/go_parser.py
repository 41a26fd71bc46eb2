# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a text is a template of Go; nothing is rendered."""

from __future__ import annotations

from ...lang.gotemplate.errors import TemplateFault
from ...lang.gotemplate.sprig.catalogue import NAMES
from ...lang.gotemplate.template import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...lang.gotemplate.function import Function

#: The functions that Go templates of scaffolds may call in addition to Sprig's.
_FUNCTIONS = ("lookup", "readFile", "file", "jet", "registrations", "kvGet", "write", "render")


class Known:
    """Names of functions: parsing only checks whether they exist."""

    def __init__(self) -> None:
        self._names = {*NAMES, *_FUNCTIONS}

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> Function:
        raise KeyError(name)


def go_parser(left: str, right: str) -> Callable[[str, str], str]:
    """Return a function that returns the error in a text with a name, "" for a template."""
    known = Known()

    def fault(text: str, name: str) -> str:
        try:
            parse(text, name, known, left, right)
        except TemplateFault as error:
            return str(error)
        return ""

    return fault
