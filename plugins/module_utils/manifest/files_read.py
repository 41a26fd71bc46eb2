# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The files that late expressions of a resource read, as far as they name them in plain text."""

from __future__ import annotations

import os

from ..engine.late_calls import late_calls
from ..lang.paths import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.resource import Resource

_FUNCTIONS = "file|readFile|template|jet"
#: The endings of names of files; any other text is a template itself.
_ENDINGS = {"template": (".templ", ".jet"), "jet": (".jet",)}


def files_read(resource: Resource, directory: str) -> list[str]:
    """Return the whole paths of files that a resource reads just before it is managed; `directory` has the manifest."""
    calls = late_calls(resource, _FUNCTIONS)
    names = [name for function, name, _property in calls if name.endswith(_ENDINGS.get(function, ""))] if calls else ()
    return [os.path.abspath(join(directory, name)) for name in names]
