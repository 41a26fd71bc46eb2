# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Resource types of other collections, packed for a node. PRIVATE to the collection."""

from __future__ import annotations

import base64
import io
import json
import os
import re
import tarfile

import yaml
from ansible.errors import AnsibleActionFail
from ansible.utils.collection_loader._collection_finder import _get_collection_path

from ..module_utils.resources.installed import GROUP

_NAME = re.compile(r"[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*")
_TYPES = "plugins/module_utils/resource_types"


def packed_collection(name):
    """Return the module_utils of a collection as base64 of a gzipped tar, with entry points for its resource types.

    Raises AnsibleActionFail for a collection that is not installed, and for one without types.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise AnsibleActionFail(f"types: {name!r} is not the name of a collection, like acme.web")
    try:
        root = os.fsdecode(_get_collection_path(name))
    except ValueError:
        raise AnsibleActionFail(f"types: the collection {name} is not installed on the controller") from None
    lead = f"ansible_collections.{name}.plugins.module_utils.resource_types"
    found = sorted(_names(os.path.join(root, _TYPES)))
    if not found:
        raise AnsibleActionFail(f"types: the collection {name} has no types in {_TYPES}")
    entries = "".join(f"{type_name} = {lead}.{type_name}:TYPE\n" for type_name in found)
    info = f"{name.replace('.', '_')}-{_version(root)}.dist-info"
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for path in _sources(os.path.join(root, "plugins/module_utils")):
            inside = os.path.join("ansible_collections", *name.split("."), os.path.relpath(path, root))
            with open(path, "rb") as file:
                _add(archive, inside, file.read())
        _add(archive, f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {_version(root)}\n".encode())
        _add(archive, f"{info}/entry_points.txt", f"[{GROUP}]\n{entries}".encode())
    return base64.b64encode(buffer.getvalue()).decode("ascii")


def _names(folder):
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return [name[:-3] for name in names if name.endswith(".py") and not name.startswith("_")]


def _sources(folder):
    for directory, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if each != "__pycache__")
        yield from (os.path.join(directory, name) for name in sorted(names) if name.endswith(".py"))


def _add(archive, name, content):
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), 0o644
    archive.addfile(entry, io.BytesIO(content))


def _version(root):
    try:
        with open(os.path.join(root, "MANIFEST.json"), encoding="utf-8") as file:
            return json.load(file)["collection_info"]["version"]
    except (OSError, ValueError, KeyError):
        pass
    try:
        with open(os.path.join(root, "galaxy.yml"), encoding="utf-8") as file:
            return str(yaml.safe_load(file)["version"])
    except (OSError, yaml.YAMLError, KeyError, TypeError):
        return "0"
