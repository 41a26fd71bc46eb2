# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Manifests and data files of the controller, read and parsed. PRIVATE to the collection."""

from __future__ import annotations

from ansible.errors import AnsibleActionFail

from ..module_utils.ansible_tasks.messages import message_of
from ..module_utils.manifest.reader import parse_manifest
from ..module_utils.model.errors import ManifestError


def parsed_file(files, path, name):
    """Return the parsed document of a file that `files` reads, which errors call `name`. Raises AnsibleError."""
    try:
        return parse_manifest(files.read(path), name)
    except OSError as error:
        raise AnsibleActionFail(f"cannot read {path}: {error.strerror}") from None
    except ManifestError as error:
        if files.decrypted:
            error.excerpt = ""
        failure = AnsibleActionFail(message_of(error))
        failure.place = str(error.position or "")
        raise failure from None
