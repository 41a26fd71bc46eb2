# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with a Go template."""

from __future__ import annotations


class TemplateFault(Exception):
    """A template that cannot be parsed or executed; the text is Go's.

    ``template: NAME:LINE: REASON`` from parsing, ``template: NAME:LINE:COLUMN: executing "NAME" at <PART>: REASON``
    from executing.
    """
