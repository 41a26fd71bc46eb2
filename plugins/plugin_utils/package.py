# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The code of module_utils as one argument of a task. PRIVATE to the collection.

Its other half is module_utils/ansible_tasks/sent_package.py.
"""

from __future__ import annotations

import base64
import json
import os
import tempfile
import zlib

from ansible import constants

#: The layers that no task on a node uses.
LEFT_OUT = ("cli", "lint", "schema", "test_kit")
_ROOT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "module_utils")


def packed_package():
    """Return the package as text. It is made once in a run of Ansible, and kept in its temporary directory."""
    kept = os.path.join(constants.DEFAULT_LOCAL_TMP, "ccm-core-package")
    try:
        with open(kept, encoding="ascii") as file:
            return file.read()
    except FileNotFoundError:
        pass
    packed = _packed()
    # Several workers can make it at the same time; each reads a complete file.
    with tempfile.NamedTemporaryFile("w", encoding="ascii", dir=constants.DEFAULT_LOCAL_TMP, delete=False) as file:
        file.write(packed)
    os.replace(file.name, kept)
    return packed


def _packed():
    places, sources = {}, bytearray()
    for path in sent_files():
        with open(os.path.join(_ROOT, path), "rb") as file:
            content = file.read()
        places[path] = [len(sources), len(sources) + len(content)]
        sources += content
    index = json.dumps(places, separators=(",", ":")).encode("ascii")
    return base64.b64encode(zlib.compress(index + b"\n" + sources)).decode("ascii")


def sent_files():
    """Return the paths below module_utils of all sources that tasks on nodes use."""
    found = []
    for directory, folders, names in os.walk(_ROOT):
        inside = os.path.relpath(directory, _ROOT)
        left_out = (*LEFT_OUT, "__pycache__") if inside == os.curdir else ("__pycache__",)
        folders[:] = sorted(set(folders) - set(left_out))
        found += [os.path.normpath(os.path.join(inside, name)) for name in sorted(names) if name.endswith(".py")]
    return found
