# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The code of module_utils as one argument of a task. PRIVATE to the collection.

Its other half is module_utils/ansible_tasks/sent_package.py.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import marshal
import os
import tempfile
import zlib

from ansible import constants

from ..module_utils.ansible_tasks.apply_options import IMPORTS
from ..module_utils.ansible_tasks.sent_package import OTHER_PYTHON, PACKED_PACKAGE, PYTHON
from .node_results import mapping_in, text_in, texts_in

#: The layers that no task on a node uses.
LEFT_OUT = ("cli", "lint", "schema", "test_kit")
_ROOT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "module_utils")


def run_with_package(execute, arguments, node):
    """Run the module apply with the code of module_utils; its result.

    `execute` runs it with arguments. `node` names the node by any text that is unique in the run, or is None when the
    task is not waited for. The first task on a node gets sources. When it reported which modules it imported, and the
    node has the Python of the controller, the next tasks get these modules compiled: to compile them there is most of
    the time of a task that changes nothing. The whole run uses the list of modules that the first node reported.
    """
    if node is None:
        return execute({**arguments, PACKED_PACKAGE: _package()})
    imports = os.path.join(constants.DEFAULT_LOCAL_TMP, f"ccm-core-{hashlib.sha256(node.encode('utf-8')).hexdigest()}")
    compiled = _read(imports)
    if compiled is not None:
        result = execute({**arguments, PACKED_PACKAGE: _package("compiled", json.loads(compiled))})
        if result.get(OTHER_PYTHON) is not True:
            result.pop(IMPORTS, None)
            return result
        with contextlib.suppress(FileNotFoundError):  # another task of the node did
            os.unlink(imports)
    asking = {**arguments["manifest"], IMPORTS: True}
    result = execute({**arguments, "manifest": asking, PACKED_PACKAGE: _package()})
    modules = _known_modules(mapping_in(result, IMPORTS))
    result.pop(IMPORTS, None)
    if modules:
        _write(imports, json.dumps(modules))
    return result


def _known_modules(imported):
    """Return the paths of our modules that a node says it imported, none where it has another Python."""
    if text_in(imported, "python") != PYTHON:
        return []
    return sorted(set(sent_files()).intersection(texts_in(imported, "modules")))


def _package(kind="sources", compiled=()):
    """Return the package as text. Each kind is made once in a run of Ansible, and kept in its temporary directory."""
    path = os.path.join(constants.DEFAULT_LOCAL_TMP, f"ccm-core-{kind}")
    packed = _read(path)
    if packed is None:
        packed = packed_package(compiled)
        _write(path, packed)
    return packed


def packed_package(compiled=()):
    """Return the modules as text for SentPackage of sent_package.py, those at the paths of `compiled` as code."""
    sources, codes = {}, {}
    for path in sent_files():
        with open(os.path.join(_ROOT, path), "rb") as file:
            source = file.read()
        if path in compiled:
            codes[path] = marshal.dumps(compile(source, path, "exec", dont_inherit=True))
        else:
            sources[path] = source
    parts = [(codes, PYTHON)] if codes else []
    return "\n".join(_packed(contents, python) for contents, python in [*parts, (sources, "")])


def _packed(contents, python):
    places, end = {}, 0
    for path, content in contents.items():
        begin, end = end, end + len(content)
        places[path] = [begin, end]
    line = json.dumps({"places": places, "python": python}, separators=(",", ":")).encode("ascii")
    return base64.b64encode(zlib.compress(b"\n".join((line, b"".join(contents.values()))))).decode("ascii")


def _read(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _write(path, text):
    """Write a file that several workers can write at the same time; each reads a complete one."""
    with tempfile.NamedTemporaryFile("w", encoding="ascii", dir=constants.DEFAULT_LOCAL_TMP, delete=False) as file:
        file.write(text)
    os.replace(file.name, path)


def sent_files():
    """Return the paths below module_utils of all sources that tasks on nodes use."""
    found = []
    for directory, folders, names in os.walk(_ROOT):
        inside = os.path.relpath(directory, _ROOT)
        left_out = (*LEFT_OUT, "__pycache__") if inside == os.curdir else ("__pycache__",)
        folders[:] = sorted(set(folders) - set(left_out))
        found += [os.path.normpath(os.path.join(inside, name)) for name in sorted(names) if name.endswith(".py")]
    return found
