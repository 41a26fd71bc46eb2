# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What compiled templates share while they run.

A template is compiled into closures ``code(frame, dot)``. A frame is a list, one for each time that a template is
called: below are the places of what every frame holds, behind them come the variables, ``$`` first.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, List

    Frame = List[Any]
    Code = Callable[[Frame, Any], Any]

#: A function that takes each piece of the output.
WRITE = 0
#: What was handed to ``render`` for functions that want it.
CONTEXT = 1
#: How many templates are being executed within each other.
DEPTH = 2
#: A function that returns the template (Body) of a name, None without one.
FIND = 3
#: The variable ``$``.
DOLLAR = 4
