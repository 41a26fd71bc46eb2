# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Directories of the controller in one file. PRIVATE to the collection."""

from __future__ import annotations

import io
import os
import stat
import tarfile

from ..module_utils.resources.scaffold.rendering import PARTIALS
from ..module_utils.resources.scaffold.type import invalid_entry

_LEFT_OUT = {".git", ".hg", ".svn", "__pycache__"}


def packed_tree(opened, directory, without=()):
    """Return the files below `directory` as a gzipped tar; links are followed, directories of version control left out.

    `opened(path)` opens a file, as `ControllerFiles.opened`. A dangling link and other entries that are not files are
    left out too, and the paths in `without`. Raises OSError for an unreadable file, and what `opened` raises.
    """
    return _packed(opened, directory, _walk(directory, _LEFT_OUT), without)


def packed_templates(opened, directory):
    """Return the source of a scaffold as a gzipped tar, with all that its engine may read.

    Raises ResourceFailed for what the engine refuses, such as links, OSError for what cannot be read, and what `opened`
    raises. In directories of partials, which it does not check, links are followed.
    """
    return _packed(opened, directory, _walk_templates(directory))


def _packed(opened, directory, walk, without=()):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=6, dereference=True) as archive:
        for folder, folders, files in walk:
            for path in files:
                name = os.path.relpath(path, directory)
                if name not in without:
                    _add(opened, archive, path, name)
            for name in folders:
                path = os.path.join(folder, name)
                archive.add(path, os.path.relpath(path, directory), recursive=False)
    return buffer.getvalue()


def files_below(directory):
    """Return the paths of the files that `packed_tree` takes."""
    return [path for _folder, _folders, files in _walk(directory, _LEFT_OUT) for path in files]


def _walk(directory, left_out):
    for folder, folders, files in os.walk(directory, followlinks=True):
        folders[:] = sorted(name for name in folders if name not in left_out and not _returns(folder, name))
        paths = [os.path.join(folder, name) for name in sorted(files)]
        yield folder, folders, [path for path in paths if os.path.isfile(path)]


def _walk_templates(directory):
    for folder, folders, files in os.walk(directory, onerror=_raise):
        for name in sorted(folders + files):
            path = os.path.join(folder, name)
            mode = os.lstat(path).st_mode
            if name != PARTIALS and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise invalid_entry(os.path.relpath(path, directory))
        partials = os.path.join(folder, PARTIALS)
        paths = [os.path.join(folder, name) for name in sorted(files)]
        yield folder, sorted(folders), [path for path in paths if path != partials or os.path.isfile(path)]
        if os.path.isdir(partials):
            yield from _walk(partials, ())
        folders[:] = sorted(name for name in folders if name != PARTIALS)


def _raise(error):
    raise error


def _add(opened, archive, path, name):
    with opened(path) as file:
        # Owner, mode and time come from the file at `path`, also when the opened file is a decrypted copy.
        member = archive.gettarinfo(path, arcname=name)
        member.type = tarfile.REGTYPE
        member.size = os.fstat(file.fileno()).st_size
        archive.addfile(member, file)


def _returns(folder, name):
    """Return whether a link leads back to a directory above it, in a loop."""
    path = os.path.join(folder, name)
    return os.path.islink(path) and (os.path.realpath(folder) + "/").startswith(os.path.realpath(path) + "/")
