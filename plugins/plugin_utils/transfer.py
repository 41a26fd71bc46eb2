# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""How data of the controller is sent to the node. PRIVATE to the collection."""

from __future__ import annotations

import tempfile

from ansible import constants
from ansible.errors import AnsibleActionFail, AnsibleError

from ..module_utils.redaction.texts import without_text_secrets

#: The most bytes that are sent in a module's arguments; more is transferred as a file.
LARGEST_INSIDE = 1 << 20


def found(action, folder, name):
    """Return the path on the controller of a task's `name`, searched in `folder` of role and play first.

    Raises AnsibleActionFail with the places that were searched.
    """
    try:
        return action._find_needle(folder, name)
    except AnsibleError as error:
        advice = "; an address needs remote_src: true" if "://" in str(name) else ""
        raise AnsibleActionFail(without_text_secrets(str(error)) + advice) from None


def require_path_of_node(option, path):
    """Raise AnsibleActionFail unless a path on the node is absolute, or an address: a task has no directory there."""
    if not path.startswith("/") and "://" not in path:
        shown = without_text_secrets(path)
        raise AnsibleActionFail(f"{option} must be an absolute path or an address with remote_src: true, not {shown}")


def staged_content(action, content, name):
    """Transfer bytes to a file in the temporary directory of the task on the node; its path there.

    On the controller they are in a file of Ansible's temporary directory: its main process removes the file when this
    one is killed.
    """
    with tempfile.NamedTemporaryFile(dir=constants.DEFAULT_LOCAL_TMP) as file:
        file.write(content)
        file.flush()
        return staged(action, file.name, name)


def staged(action, path, name):
    """Transfer a file to the temporary directory of the task on the node; its path there."""
    shell = action._connection._shell
    if shell.tmpdir is None:
        action._make_tmp_path()
    remote = shell.join_path(shell.tmpdir, name)
    action._transfer_file(path, remote)
    action._fixup_perms2((shell.tmpdir, remote))
    return remote
