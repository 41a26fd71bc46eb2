# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Sources of files in a manifest's directory that the node may have already. PRIVATE to the collection."""

from __future__ import annotations

import hashlib
import os
import posixpath

#: A source with fewer bytes than this is sent without a question.
SMALLEST = 64 << 10
_CHUNK = 1 << 20


def large_sources(value, folder=""):
    """Yield the path below the manifest's directory of each source in a parsed manifest, and the file it is copied to.

    `folder` is the folder of the manifest. Names with expressions are left out, and sources outside of the directory.
    """
    for name, properties in _files(value):
        source = properties.get("source")
        if not _is_plain(name) or not _is_plain(source) or not name.startswith("/") or source.startswith("/"):
            continue
        path = posixpath.normpath(posixpath.join(folder, source))
        if not path.startswith("../"):
            yield path, name


def checksums(opened, directory, pairs):
    """Return the path, the file and the SHA-256 of those sources that are large files; the last file of each counts.

    `opened(path)` opens a file, as `ControllerFiles.opened`.
    """
    found = {}
    for source, name in pairs:
        path = os.path.join(directory, source)
        if os.path.isfile(path) and os.path.getsize(path) >= SMALLEST:
            found[source] = (source, name, _digest(opened, path))
    return list(found.values())


def _files(value):
    """Yield the names and properties of the file resources in a parsed manifest; validation refuses other forms."""
    ccm = value.get("ccm") if isinstance(value, dict) else None
    entries = ccm.get("resources") if isinstance(ccm, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        declared = entry.get("file") if isinstance(entry, dict) else None
        if isinstance(declared, dict):
            yield declared.get("name"), declared
        for item in declared if isinstance(declared, list) else ():
            for name, properties in item.items() if isinstance(item, dict) else ():
                if isinstance(properties, dict):
                    yield name, properties


def _is_plain(text):
    return isinstance(text, str) and text != "" and "{{" not in text and "${" not in text


def _digest(opened, path):
    digest = hashlib.sha256()
    with opened(path) as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
