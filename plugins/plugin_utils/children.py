# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The manifests that a manifest may apply, parsed on the controller. PRIVATE to the collection."""

from __future__ import annotations

import os
import posixpath

from ..module_utils.ansible_tasks.messages import message_of
from ..module_utils.manifest.reader import parse_manifest
from ..module_utils.manifest.transport import pack
from ..module_utils.model.errors import ManifestError
from .trees import files_below

_ENDINGS = (".yaml", ".yml")


def children_in(files, directory, manifest, *, decrypt=True):
    """Return the packed manifests of a directory that `files` reads, by their paths in it, without `manifest` itself.

    They are all YAML files with the key `ccm`, and all others that a manifest among them applies by a plain name.
    Unless `decrypt`, vaulted files are only among the others.
    """
    packed = {}
    values = []
    for path in files_below(directory):
        name = os.path.relpath(path, directory)
        if name != manifest and name.endswith(_ENDINGS) and _looks_like_one(files, path, decrypt):
            values.append((name, _add(files, packed, name, path)))
    values.append((manifest, _parsed(files, os.path.join(directory, manifest), manifest)[0]))
    for name, value in values:
        _follow(files, packed, value, posixpath.dirname(name), lambda child: os.path.join(directory, child))
    return packed


def children_of(files, value, find):
    """Return the packed manifests that a parsed manifest and its children apply by plain relative names.

    `files` reads them. `find(name)` gives the path on the controller of a name in the first one, None when there is
    none.
    """
    packed = {}
    _follow(files, packed, value, "", find)
    return packed


def documents_that_run(document, packed):
    """Return the packed documents of a manifest and of its children that could be parsed, each once.

    `packed` are the packed manifests beside it, by their paths; a manifest that nothing applies by a plain name is left
    out.
    """
    found, waiting = [], [("", document)] if document else []
    rest = dict(packed)
    while waiting:
        folder, each = waiting.pop(0)
        if "problem" in each:
            continue
        found.append(each)
        for name in _applied(each["value"]):
            child = posixpath.normpath(posixpath.join(folder, name))
            if child in rest:
                waiting.append((posixpath.dirname(child), rest.pop(child)))
    return found


def _follow(files, packed, value, folder, find):
    for name in _applied(value):
        child = posixpath.normpath(posixpath.join(folder, name))
        path = find(child)
        if child in packed or child.startswith("../") or path is None or not os.path.isfile(path):
            continue
        below = _add(files, packed, child, path)
        base = path[: -len(child)] if path.endswith(child) else os.path.dirname(path) + "/"
        _follow(files, packed, below, posixpath.dirname(child), lambda further, base=base: base + further)


def _applied(value):
    """Yield the plain and relative names of the manifests that a parsed manifest applies."""
    ccm = value.get("ccm") if isinstance(value, dict) else None
    entries = ccm.get("resources") if isinstance(ccm, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        declared = entry.get("apply") if isinstance(entry, dict) else None
        if isinstance(declared, dict):
            names = [declared.get("name")]
        else:
            items = declared if isinstance(declared, list) else ()
            names = [name for item in items if isinstance(item, dict) for name in item]
        for name in names:
            if isinstance(name, str) and name and "{{" not in name and "${" not in name and not name.startswith("/"):
                yield name


def _looks_like_one(files, path, decrypt):
    """Return whether a file has a line that begins with the key of manifests, so that others need not be parsed."""
    try:
        with files.opened(path, decrypt=decrypt) as file:
            return any(line.lstrip(b"\"'{ ").startswith(b"ccm") for line in file)
    except OSError:
        return False


def _add(files, packed, name, path):
    value, packed[name] = _parsed(files, path, name)
    return value


def _parsed(files, path, name):
    """Return a manifest's value and its packed document, or None and the reason why there is none."""
    try:
        document = parse_manifest(files.read(path), name)
    except OSError as error:
        return None, {"name": name, "problem": f"cannot read {name}: {error.strerror}"}
    except ManifestError as error:
        if files.decrypted:
            error.excerpt = ""
        return None, {"name": name, "problem": message_of(error)}
    return document.value, pack(document)
